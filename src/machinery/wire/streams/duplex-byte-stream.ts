import type { Duplex } from "node:stream";
import type { ByteStream } from "./byte-stream.js";
import { GatedWriter } from "./gated-writer.js";

/** A Node duplex, such as a socket with `allowHalfOpen`, as a ByteStream. Takes over the duplex. */
export function byteStreamOf(duplex: Duplex): ByteStream {
  const writer = new GatedWriter(duplex);
  let broken: Error | undefined;
  duplex.on("error", (error: Error) => (broken ??= error));
  return {
    write: (chunk) => writer.write([chunk]).catch((error: unknown) => Promise.reject(broken ?? error)),
    end: () =>
      new Promise((resolve) => {
        if (duplex.destroyed || duplex.writableFinished) return resolve();
        duplex.once("close", resolve);
        duplex.end(() => resolve());
      }),
    destroy: (error) => void duplex.destroy(error),
    async *[Symbol.asyncIterator]() {
      let left = true;
      try {
        for await (const chunk of duplex.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) yield chunk;
        left = false;
      } finally {
        // What comes later is dropped, so that the other end does not wait.
        if (left && !duplex.destroyed) duplex.resume();
      }
    },
  };
}

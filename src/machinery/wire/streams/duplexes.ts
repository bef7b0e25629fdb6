import { Duplex } from "node:stream";
import type { ByteStream } from "./byte-stream.js";
import { GatedWriter } from "./gated-writer.js";

/** Wraps a ByteStream as a Node duplex, for code that expects a socket. It takes over the stream. */
export function duplexOf(stream: ByteStream): Duplex {
  return new ByteStreamDuplex(stream);
}

class ByteStreamDuplex extends Duplex {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #reading = false;

  constructor(private readonly stream: ByteStream) {
    super({ highWaterMark: 64 * 1024, allowHalfOpen: true });
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  override _read(): void {
    if (this.#reading) return;
    this.#reading = true;
    this.#chunks.next().then(
      ({ done, value }) => {
        this.#reading = false;
        this.push(done === true ? null : value);
      },
      (error: Error) => void this.destroy(error),
    );
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
    this.stream.write(chunk).then(() => done(), done);
  }

  override _final(done: (error?: Error) => void): void {
    this.stream.end().then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.stream.destroy(error ?? undefined);
    done(error);
  }
}

/** Makes a ByteStream of a Node duplex, such as a socket with `allowHalfOpen`, which it takes over. */
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

import type { Writable } from "node:stream";

/** Writes and, when the reader is slow, waits for it. */
export async function write(out: Writable, chunk: string | Uint8Array): Promise<void> {
  if (out.write(chunk) || out.destroyed) return;
  await new Promise<void>((done) => {
    const settle = (): void => {
      out.off("drain", settle);
      out.off("close", settle);
      out.off("error", settle);
      done();
    };
    out.on("drain", settle);
    out.on("close", settle);
    out.on("error", settle);
  });
}

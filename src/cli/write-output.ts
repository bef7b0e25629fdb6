import type { Writable } from "node:stream";
import { bytesOf } from "../base/byte-text.js";

/** Writes and, when the reader is slow, waits for it. Text may stand for bytes that are not UTF-8. */
export async function writeOutput(out: Writable, chunk: string | Uint8Array): Promise<void> {
  const goesOn = out.write(typeof chunk === "string" ? bytesOf(chunk) : chunk);
  // Bun says so of a closed pipe while it writes, and nothing comes after it.
  if (goesOn || out.destroyed || out.errored) return;
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

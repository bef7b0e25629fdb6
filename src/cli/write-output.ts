import type { Writable } from "node:stream";
import { bytesOf } from "../base/text/byte-text.js";
import { shownOn } from "./terminal/terminal-output.js";

/** Writes to a stream and waits while its reader is slow. Text may represent bytes that are not UTF-8; a terminal gets those bytes unchanged. */
export async function writeOutput(out: Writable, chunk: string | Uint8Array): Promise<void> {
  const goesOn = out.write(typeof chunk === "string" ? bytesOf(shownOn(out, chunk)) : chunk);
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

/**
 * As {@link writeOutput}, for stdout. Throws Go's error for a failed write: "write /dev/stdout: no space left on device". If the
 * reader has closed the pipe, the process ends without an error.
 */
export async function deliverOutput(out: Writable, chunk: string | Uint8Array): Promise<void> {
  await writeOutput(out, chunk);
  const error: NodeJS.ErrnoException | null | undefined = out.errored;
  if (error?.code === undefined || error.code === "EPIPE" || error.code === "EOF") return;
  const { PathError } = await import("../base/files/path-error.js");
  throw new PathError("write", "/dev/stdout", error);
}

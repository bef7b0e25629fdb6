import type { Writable } from "node:stream";
import { bytesOf } from "../base/text/byte-text.js";
import { shownOn } from "./terminal/terminal-output.js";

/** Writes and, when the reader is slow, waits for it. Text may stand for bytes that are not UTF-8. Bytes reach a terminal as they are. */
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
 * {@link writeOutput} for stdout that throws Go's error when the write failed: "write /dev/stdout: no space left on device". A pipe that
 * its reader has closed is no error: it ends the whole process.
 */
export async function deliverOutput(out: Writable, chunk: string | Uint8Array): Promise<void> {
  await writeOutput(out, chunk);
  const error: NodeJS.ErrnoException | null | undefined = out.errored;
  if (error?.code === undefined || error.code === "EPIPE" || error.code === "EOF") return;
  const { PathError } = await import("../base/files/path-error.js");
  throw new PathError("write", "/dev/stdout", error);
}

import { write } from "node:fs";
import { outside } from "../../../base/async/turns.js";
import { errorCode, PathError } from "../../../base/files/path-error.js";
import { GroupCommit } from "./group-commit.js";
import type { LineSink } from "./log-backend.js";

const STDOUT = 1;

/** Writes a log to the process's standard output. */
export const openStandardOutput = (): LineSink =>
  new GroupCommit(
    (lines) => outside(writeAll(Buffer.from(lines.join("")))),
    () => Promise.resolve(),
  );

async function writeAll(bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += await writeSome(bytes.subarray(written));
    } catch (error) {
      // The reader of a pipe is behind.
      if (errorCode(error) !== "EAGAIN") throw new PathError("write", "/dev/stdout", error);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const writeSome = (bytes: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    write(STDOUT, bytes, (error, written) => (error === null ? resolve(written) : reject(error)));
  });

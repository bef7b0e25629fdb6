import { write } from "node:fs";
import { outside } from "../../../base/async/turns.js";
import { errorCode, PathError } from "../../../base/files/path-error.js";
import { pause } from "../../../base/time/pause.js";
import type { Timers } from "../../../base/time/timers.js";
import { GroupCommit } from "./group-commit.js";
import type { LineSink } from "./log-backend.js";

const STDOUT = 1;

/** How long a reader that is behind gets to read on, in milliseconds. */
const PAUSE = 5;

/** Writes a log to the process's standard output. */
export const openStandardOutput = (timers: Timers): LineSink =>
  new GroupCommit(
    (lines) => outside(writeAll(Buffer.from(lines.join("")), timers)),
    () => Promise.resolve(),
  );

async function writeAll(bytes: Buffer, timers: Timers): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += await writeSome(bytes.subarray(written));
    } catch (error) {
      // The reader of a pipe is behind.
      if (errorCode(error) !== "EAGAIN") throw new PathError("write", "/dev/stdout", error);
      await pause(timers, PAUSE);
    }
  }
}

const writeSome = (bytes: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    write(STDOUT, bytes, (error, written) => (error === null ? resolve(written) : reject(error)));
  });

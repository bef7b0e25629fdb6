import { access, type FileHandle, open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { outside } from "../../../base/async/turns.js";
import { PathError, errorCode } from "../../../base/files/path-error.js";
import { makeOwnFolder } from "../../../base/files/private-files.js";
import { errorMessage } from "../../../base/text/error-message.js";
import type { Clock } from "../../../base/time/clock.js";
import { GroupCommit } from "./group-commit.js";
import type { LineSink } from "./log-backend.js";
import { oldLogName, tidyOldLogs } from "./old-logs.js";

/** The options of a log's file. */
export interface LogFileOptions {
  readonly path: string;
  /** In bytes; a file that would be larger is renamed, and a new one begun. 0 is no limit. */
  readonly maxSize: number;
  /** How many days old files are kept; 0 is no limit. */
  readonly maxAge: number;
  /** How many old files are kept; 0 is no limit. */
  readonly maxBackups: number;
  /** Whether old files are compressed. */
  readonly compress: boolean;
}

interface LogFileSurroundings {
  readonly clock: Clock;
  /** Is told of old files that cannot be compressed or removed. */
  readonly report: (error: unknown) => void;
}

/**
 * Opens the file of a log, which is made with its folders where it is missing, and which its owner alone can read. Lines are written whole, behind
 * what is there. Rejects in kube-apiserver's words.
 */
export async function openLogFile(options: LogFileOptions, surroundings: LogFileSurroundings): Promise<LineSink> {
  const log = new LogFile(options, surroundings);
  try {
    await outside(log.open());
  } catch (error) {
    throw new Error(`ensureLogFile: ${errorMessage(error)}`, { cause: error });
  }
  return new GroupCommit(
    (lines) => outside(log.write(lines)),
    () => log.close(),
  );
}

class LogFile {
  #file: FileHandle | undefined;
  #size = 0;
  /** Whether the file ends within a line, which a write that failed has left. */
  #isBroken = false;
  #tidying = Promise.resolve();

  constructor(
    private readonly options: LogFileOptions,
    private readonly surroundings: LogFileSurroundings,
  ) {}

  async open(): Promise<void> {
    const { path } = this.options;
    makeOwnFolder(dirname(path));
    try {
      this.#file = await open(path, "a", 0o600);
      this.#size = (await this.#file.stat()).size;
    } catch (error) {
      throw new PathError("open", path, error);
    }
    this.#tidy();
  }

  async write(lines: readonly string[]): Promise<void> {
    const { maxSize } = this.options;
    let chunk: string[] = [];
    let size = this.#size;
    for (const line of lines) {
      const length = Buffer.byteLength(line);
      if (maxSize > 0 && size > 0 && size + length > maxSize) {
        await this.#append(chunk.join(""));
        await this.#rotate();
        [chunk, size] = [[], 0];
      }
      chunk.push(line);
      size += length;
    }
    await this.#append(chunk.join(""));
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    await this.#tidying;
  }

  async #append(text: string): Promise<void> {
    if (text === "") return;
    if (this.#file === undefined) await this.open();
    const bytes = Buffer.from(this.#isBroken ? `\n${text}` : text);
    for (let written = 0; written < bytes.length; ) {
      try {
        const { bytesWritten = 0 } = (await this.#file?.write(bytes, written)) ?? {};
        written += bytesWritten;
        this.#size += bytesWritten;
      } catch (error) {
        if (written > 0) this.#isBroken = bytes[written - 1] !== NEWLINE;
        throw new PathError("write", this.options.path, error);
      }
    }
    this.#isBroken = false;
  }

  /** Begins a new file, with the mode of the old one. */
  async #rotate(): Promise<void> {
    const { path } = this.options;
    await this.#file?.close();
    this.#file = undefined;
    try {
      const { mode } = await stat(path);
      await rename(path, await freeName(path, this.surroundings.clock.now()));
      this.#file = await open(path, "ax", mode & 0o777);
      this.#size = 0;
    } catch (error) {
      // Somebody else has removed or made the file.
      if (errorCode(error) !== "ENOENT" && errorCode(error) !== "EEXIST") throw new PathError("rename", path, error);
    }
    this.#isBroken = false;
    this.#tidy();
  }

  /** Compresses and removes old files, one run after the other. */
  #tidy(): void {
    const { report, clock } = this.surroundings;
    if (this.options.maxSize === 0) return;
    this.#tidying = this.#tidying.then(() => outside(tidyOldLogs(this.options, clock.now()))).catch(report);
  }
}

/** Names the old file by the time, or by the next millisecond that no old file is named by: a rename would replace that one. */
async function freeName(path: string, time: number): Promise<string> {
  const name = oldLogName(path, time);
  const isTaken = await Promise.all([name, `${name}.gz`].map(exists));
  return isTaken.includes(true) ? freeName(path, time + 1) : name;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const NEWLINE = 10;

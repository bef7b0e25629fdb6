import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const FILE = "acknowledged";

/**
 * The last revision that was acknowledged, in a file beside the database. It is written after each commit and never
 * flushed, so it may fall behind the database when the machine stops but never runs ahead of it: a database that is
 * behind it has lost acknowledged writes.
 */
export class AcknowledgedRevision {
  readonly #path: string;
  #file: number | undefined;

  constructor(directory: string) {
    this.#path = join(directory, FILE);
  }

  /** What the last owner of the directory left; 0 when it left nothing. */
  read(): number {
    try {
      const text = readFileSync(this.#path, "utf8");
      return /^[0-9]{16}\n$/.test(text) ? Number(text) : 0;
    } catch {
      return 0;
    }
  }

  /** Never throws: the write that it tells of is committed. */
  write(revision: number): void {
    try {
      this.#file ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
      writeSync(this.#file, `${String(revision).padStart(16, "0")}\n`, 0);
    } catch {
      // A full disk; the file keeps an earlier revision, or none.
    }
  }

  close(options: { readonly remove: boolean }): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    if (options.remove) rmSync(this.#path, { force: true });
  }
}

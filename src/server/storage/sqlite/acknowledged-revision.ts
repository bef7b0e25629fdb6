import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const FILE = "acknowledged";

/**
 * The last acknowledged revision, in a file beside the database. The worker writes it after each commit and never flushes
 * it. After a power failure it may be behind the database, but never ahead: a database behind it has lost acknowledged
 * writes.
 */
export class AcknowledgedRevision {
  readonly #path: string;
  #file: number | undefined;

  constructor(directory: string) {
    this.#path = join(directory, FILE);
  }

  /** Reads the revision that the previous process left; 0 when there is none. */
  read(): number {
    try {
      const text = readFileSync(this.#path, "utf8");
      return /^[0-9]{16}\n$/.test(text) ? Number(text) : 0;
    } catch {
      return 0;
    }
  }

  /** Never throws, because the commit has succeeded already. */
  write(revision: number): void {
    try {
      this.#file ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
      writeSync(this.#file, `${String(revision).padStart(16, "0")}\n`, 0);
    } catch {
      // The disk is full. The file keeps an earlier revision, or none.
    }
  }

  close(options: { readonly remove: boolean }): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    if (options.remove) rmSync(this.#path, { force: true });
  }
}

import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { damagedDirectory, failedWrite } from "./data-directory-error.js";
import type { SqliteDatabase } from "./database.js";
import type { HeldDirectory } from "./directory.js";
import type { WriteRequest, WriteResult } from "./protocol.js";
import { speaksOfDamage } from "./schema.js";

/** What a write costs beside its value, generously. */
const PAGES_PER_WRITE = 16 * 1024;
const PROBE = "probe";

/**
 * Everything that changes the database. After a commit that failed, nobody knows what of it reached the disk (a flush
 * that failed is not made good by the next one), so nothing more is written before the log's committed part was put into
 * the database, the log emptied and a commit seen to succeed. What failed is not in the log then.
 */
export class Commits {
  /** The last commit, or what followed it, failed, and nothing has been done about it. */
  #unsettled = false;
  /** What a commit needed that failed; undefined once as much could be written. */
  #wanted: number | undefined;

  constructor(
    private readonly database: SqliteDatabase,
    private readonly held: HeldDirectory,
  ) {}

  /** All in one commit. When it throws, nothing of them happened. */
  write(requests: readonly WriteRequest[]): readonly WriteResult[] {
    let bytes = 0;
    for (const request of requests) {
      bytes += PAGES_PER_WRITE + (request.type === "delete" ? 0 : request.value.byteLength);
    }
    return this.#attempt(bytes, () => {
      this.#settle();
      const results = this.database.write(requests);
      this.held.acknowledged.write(this.database.revision);
      if (this.#wanted !== undefined && bytes >= this.#wanted) this.#wanted = undefined;
      return results;
    });
  }

  compact(revision: number): number {
    return this.#attempt(PAGES_PER_WRITE, () => {
      this.#settle();
      return this.database.compact(revision);
    });
  }

  /** Throws DataDirectoryError while a write such as the one that failed would fail again. */
  check(): void {
    const wanted = this.#wanted;
    if (wanted === undefined) return;
    this.#attempt(wanted, () => {
      this.#settle();
      if (this.database.room() < wanted) throw new Error("database or disk is full");
      this.#probe(2 * wanted);
    });
    this.#wanted = undefined;
  }

  /** Bytes in the log that may be folded. */
  get unfolded(): number {
    return this.#unsettled ? 0 : this.held.logBytes();
  }

  /** Moves the log into the database. A failure is told to the next writer. */
  fold(): void {
    try {
      this.#attempt(PAGES_PER_WRITE, () => this.database.fold());
    } catch {
      // Remembered.
    }
  }

  /** Ends it all. What could not be folded stays in the log, for the next start. */
  release(): void {
    this.fold();
    this.held.release({ settled: !this.#unsettled });
  }

  #settle(): void {
    if (!this.#unsettled) return;
    // Everything the log holds was flushed before it was acknowledged, so this can be repeated until it succeeds.
    this.database.fold();
    if (this.held.logBytes() > 0) throw new Error("the write-ahead log could not be emptied");
    this.database.touch();
    this.#unsettled = false;
  }

  #attempt<T>(bytes: number, change: () => T): T {
    try {
      return change();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (speaksOfDamage(message)) throw damagedDirectory(this.held.path, message);
      this.#unsettled = true;
      this.#wanted = Math.max(bytes, this.#wanted ?? 0);
      const { code } = error as { code?: unknown };
      throw failedWrite(
        this.held.path,
        typeof code === "string" && !message.includes(code) ? `${message}, ${code}` : message,
      );
    }
  }

  /** Writes a file of that many bytes and removes it. */
  #probe(bytes: number): void {
    const path = join(this.held.path, PROBE);
    try {
      const file = openSync(path, "w", 0o600);
      try {
        const chunk = Buffer.alloc(256 * 1024);
        for (let left = bytes; left > 0; left -= chunk.byteLength) {
          const length = Math.min(left, chunk.byteLength);
          if (writeSync(file, chunk, 0, length) < length) throw new Error("database or disk is full");
        }
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    } finally {
      rmSync(path, { force: true });
    }
  }
}

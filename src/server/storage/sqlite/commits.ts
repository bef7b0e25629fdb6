import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../../../base/text/error-message.js";
import { damagedDirectory, failedWrite } from "./data-directory-error.js";
import type { SqliteDatabase } from "./database.js";
import type { HeldDirectory } from "./directory.js";
import type { Restored } from "../kv.js";
import type { WriteRequest, WriteResult } from "./protocol.js";
import { speaksOfDamage } from "./schema.js";

/** An upper bound of the bytes that a write takes besides its value. */
const PAGES_PER_WRITE = 16 * 1024;
const PROBE = "probe";

/**
 * Executes every change to the database. After a failed commit it is unknown what reached the disk, and a later successful
 * flush proves nothing. So the next change first checkpoints the log's committed part into the database, empties the log and
 * makes a commit succeed. The failed commit is then out of the log.
 */
export class Commits {
  /** True after a failed commit or checkpoint, until the log is checkpointed and a commit has succeeded. */
  #unsettled = false;
  /** The bytes that a failed commit needed; undefined once that much could be written. */
  #wanted: number | undefined;

  constructor(
    private readonly database: SqliteDatabase,
    private readonly held: HeldDirectory,
  ) {}

  /** Executes the requests in one commit. When it throws, none of them took effect. */
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

  /** Takes over keys of another store in one commit. */
  restore(restored: Restored): void {
    const bytes = restored.items.reduce((sum, { value }) => sum + PAGES_PER_WRITE + value.byteLength, PAGES_PER_WRITE);
    this.#attempt(bytes, () => {
      this.#settle();
      this.database.restore(restored);
      this.held.acknowledged.write(this.database.revision);
    });
  }

  compact(revision: number): number {
    return this.#attempt(PAGES_PER_WRITE, () => {
      this.#settle();
      return this.database.compact(revision);
    });
  }

  /** Throws DataDirectoryError while a write like the failed one would fail again. */
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

  /** The bytes in the log that can be checkpointed. */
  get unfolded(): number {
    return this.#unsettled ? 0 : this.held.logBytes();
  }

  /** Checkpoints the log into the database. The next write reports a failure. */
  fold(): void {
    try {
      this.#attempt(PAGES_PER_WRITE, () => this.database.fold());
    } catch {
      // `#attempt` has recorded the failure.
    }
  }

  /** Checkpoints and closes the database. What could not be checkpointed stays in the log for the next start. */
  release(): void {
    this.fold();
    this.held.release({ settled: !this.#unsettled });
  }

  #settle(): void {
    if (!this.#unsettled) return;
    // Every entry of the log was flushed before it was acknowledged, so the checkpoint can be repeated until it succeeds.
    this.database.fold();
    if (this.held.logBytes() > 0) throw new Error("the write-ahead log could not be emptied");
    this.database.touch();
    this.#unsettled = false;
  }

  #attempt<T>(bytes: number, change: () => T): T {
    try {
      return change();
    } catch (error) {
      const message = errorMessage(error);
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

  /** Writes a file of this size and removes it. */
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

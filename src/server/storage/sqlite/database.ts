import { prefixEnd } from "../../../base/key-order.js";
import type { KeyValue } from "../kv.js";
import { blob, integer, type SqlDatabase, type SqlRow, type SqlStatement } from "./driver.js";
import { rowChecksum } from "./schema.js";
import type { Calls, ExpiringKey, HistoryEvent, WriteRequest, WriteResult } from "./protocol.js";

const COLUMNS = "key, revision, create_revision, value";

/** The newest row of each key as of revision ?3, in [?1, ?2). */
const STATE_AT = `
  FROM kv AS k WHERE key >= ?1 AND key < ?2 AND revision <= ?3 AND deleted = 0
  AND NOT EXISTS (SELECT 1 FROM kv AS n WHERE n.key = k.key AND n.revision > k.revision AND n.revision <= ?3)`;

/** The queries of the key-value store over one open database. One call at a time. */
export class SqliteDatabase {
  #revision: number;
  #compacted: number;
  /** Where the last limited list ended, so that the next page need not count again. */
  #lastPage:
    | { readonly prefix: string; readonly revision: number; readonly key: string; readonly remaining: number }
    | undefined;
  readonly #statements = new Map<string, SqlStatement>();

  constructor(private readonly db: SqlDatabase) {
    const state = db.prepare("SELECT revision, compacted FROM state WHERE id = 1").get();
    this.#revision = integer(state, "revision");
    this.#compacted = integer(state, "compacted");
  }

  /** Of the last commit. */
  get revision(): number {
    return this.#revision;
  }

  /** All requests in one commit. When this throws, nothing of them happened. */
  write(requests: readonly WriteRequest[]): readonly WriteResult[] {
    let revision = this.#revision;
    const results: WriteResult[] = [];
    this.#commit(() => {
      for (const request of requests) {
        const result = this.#apply(request, revision + 1);
        if (result.kind === "written") revision = result.revision;
        results.push(result);
      }
      if (revision !== this.#revision) this.#sql("UPDATE state SET revision = ?1").run(revision);
    });
    this.#revision = revision;
    return results;
  }

  get(key: string): KeyValue | undefined {
    const row = this.#sql(`SELECT ${COLUMNS}, deleted FROM kv WHERE key = ?1 ORDER BY revision DESC LIMIT 1`).get(key);
    return row === undefined || integer(row, "deleted") === 1 ? undefined : keyValue(row);
  }

  list({ prefix, options }: Calls["list"]["ask"]): Calls["list"]["answer"] {
    const revision = options.revision ?? this.#revision;
    if (revision > this.#revision) return { kind: "future", current: this.#revision };
    if (revision < this.#compacted) return { kind: "compacted", compacted: this.#compacted };
    const from = options.startAfter === undefined ? prefix : laterOf(prefix, `${options.startAfter}\0`);
    const limit = options.limit === undefined || options.limit === 0 ? -1 : options.limit;
    const rows = this.#sql(`SELECT ${COLUMNS} ${STATE_AT} ORDER BY key LIMIT ?4`).all(
      from,
      prefixEnd(prefix),
      revision,
      limit,
    );
    const items = rows.map(keyValue);
    const remaining = limit === -1 ? 0 : this.#remaining(prefix, options.startAfter, from, revision, items.length);
    const last = items.at(-1);
    this.#lastPage = last === undefined ? undefined : { prefix, revision, key: last.key, remaining };
    return { kind: "listed", items, revision, remaining };
  }

  count(prefix: string): number {
    return this.#countAt(prefix, prefix, this.#revision);
  }

  events({ after, limit }: Calls["events"]["ask"]): Calls["events"]["answer"] {
    if (after < this.#compacted) return { kind: "compacted", compacted: this.#compacted };
    const rows = this.#sql(
      `SELECT n.key, n.revision, n.create_revision, n.value, n.deleted, n.prev_revision,
              p.value AS prev_value, p.create_revision AS prev_create_revision
       FROM kv AS n LEFT JOIN kv AS p ON p.revision = n.prev_revision
       WHERE n.revision > ?1 ORDER BY n.revision LIMIT ?2`,
    ).all(after, limit);
    return { kind: "events", events: rows.map(historyEvent) };
  }

  /** Forgets up to `revision`; answers what is forgotten then. */
  compact(revision: number): number {
    const target = Math.min(revision, this.#revision);
    if (target <= this.#compacted) return this.#compacted;
    this.#commit(() => {
      // Only rows of this stretch can have replaced something that is still there.
      this.#sql(
        `DELETE FROM kv WHERE revision IN
           (SELECT prev_revision FROM kv WHERE revision > ?1 AND revision <= ?2 AND prev_revision > 0)`,
      ).run(this.#compacted, target);
      this.#sql("DELETE FROM kv WHERE revision > ?1 AND revision <= ?2 AND deleted = 1").run(this.#compacted, target);
      this.#sql("UPDATE state SET compacted = ?1").run(target);
    });
    this.#compacted = target;
    return target;
  }

  expiring(): readonly ExpiringKey[] {
    const rows = this.#sql(
      `SELECT key, revision, expires_at FROM kv AS k WHERE expires_at IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM kv AS n WHERE n.key = k.key AND n.revision > k.revision)`,
    ).all();
    return rows.map((row) => ({
      key: String(row["key"]),
      revision: integer(row, "revision"),
      at: integer(row, "expires_at"),
    }));
  }

  /** Moves the write-ahead log into the database and empties it. */
  fold(): void {
    this.#sql("PRAGMA wal_checkpoint(TRUNCATE)").get();
  }

  #apply(request: WriteRequest, revision: number): WriteResult {
    const { key } = request;
    const current = this.get(key);
    if (request.type === "create") {
      if (current !== undefined) return { kind: "exists" };
    } else if (current === undefined || current.revision !== request.expected) {
      return { kind: "mismatch", current };
    }
    const gone = request.type === "delete";
    const value = gone ? null : request.value;
    const createRevision = current?.createRevision ?? revision;
    const previousRevision = current?.revision ?? 0;
    this.#sql("INSERT INTO kv VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)").run(
      revision,
      key,
      createRevision,
      previousRevision,
      gone ? 1 : 0,
      value,
      gone ? null : (request.expiresAt ?? null),
      rowChecksum({ key, revision, createRevision, previousRevision, value }),
    );
    return { kind: "written", revision, previous: current };
  }

  #commit(change: () => void): void {
    this.db.exec("BEGIN IMMEDIATE");
    try {
      change();
      this.db.exec("COMMIT");
    } catch (error) {
      try {
        this.db.exec("ROLLBACK");
      } catch {
        // SQLite has rolled back by itself.
      }
      throw error;
    }
  }

  #remaining(prefix: string, after: string | undefined, from: string, revision: number, listed: number): number {
    const last = this.#lastPage;
    if (last !== undefined && last.prefix === prefix && last.revision === revision && last.key === after) {
      return last.remaining - listed;
    }
    return this.#countAt(prefix, from, revision) - listed;
  }

  #countAt(prefix: string, from: string, revision: number): number {
    return integer(this.#sql(`SELECT count(*) AS n ${STATE_AT}`).get(from, prefixEnd(prefix), revision), "n");
  }

  #sql(text: string): SqlStatement {
    let statement = this.#statements.get(text);
    if (statement === undefined) this.#statements.set(text, (statement = this.db.prepare(text)));
    return statement;
  }
}

function keyValue(row: SqlRow): KeyValue {
  return {
    key: String(row["key"]),
    value: blob(row["value"]),
    createRevision: integer(row, "create_revision"),
    revision: integer(row, "revision"),
  };
}

function historyEvent(row: SqlRow): HistoryEvent {
  const deleted = integer(row, "deleted") === 1;
  const before = integer(row, "prev_revision");
  const key = String(row["key"]);
  return {
    type: deleted ? "delete" : before === 0 ? "create" : "update",
    key,
    revision: integer(row, "revision"),
    value: deleted ? undefined : blob(row["value"]),
    previous:
      before === 0
        ? undefined
        : {
            key,
            value: blob(row["prev_value"]),
            createRevision: integer(row, "prev_create_revision"),
            revision: before,
          },
  };
}

/** Both start with the prefix or lie outside it, where their order does not matter beyond being outside. */
function laterOf(prefix: string, key: string): string {
  return Buffer.compare(Buffer.from(key), Buffer.from(prefix)) >= 0 ? key : prefix;
}

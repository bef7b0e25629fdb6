import type { KeyValue, Restored } from "../kv.js";
import { blob, integer, type SqlDatabase, type SqlRow, type SqlStatement } from "./driver.js";
import {
  packValues,
  type Calls,
  type ExpiringKey,
  type HistoryEvent,
  type NoSuchRevision,
  type WriteRequest,
  type WriteResult,
} from "./protocol.js";
import { checkRow, rowChecksum } from "./schema.js";

/** The newest row of each key in [?1, ?2) as of revision ?3. */
const STATE_AT = `
  FROM kv AS k WHERE key >= ?1 AND key < ?2 AND revision <= ?3 AND deleted = 0
  AND NOT EXISTS (SELECT 1 FROM kv AS n WHERE n.key = k.key AND n.revision > k.revision AND n.revision <= ?3)`;

/** The limits of a page. A writer waits for at most one page. */
const PAGE_ROWS = 500;
const PAGE_BYTES = 2 ** 20;
/** Rows per query: a page exceeds its limits by less than this. */
const STRIDE = 50;
const COUNTED = 2000;

/** The queries of the key-value store on an open database. Calls must not overlap. */
export class SqliteDatabase {
  #revision: number;
  #compacted: number;
  readonly #statements = new Map<string, SqlStatement>();

  constructor(private readonly db: SqlDatabase) {
    const state = db.prepare("SELECT revision, compacted FROM state WHERE id = 1").get();
    this.#revision = integer(state, "revision");
    this.#compacted = integer(state, "compacted");
  }

  /** The revision of the last commit. */
  get revision(): number {
    return this.#revision;
  }

  /** Executes the requests in one commit. When it throws, none of them took effect. */
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
    const row = this.#sql("SELECT * FROM kv WHERE key = ?1 ORDER BY revision DESC LIMIT 1").get(key);
    return row === undefined || integer(row, "deleted") === 1 ? undefined : keyValue(row);
  }

  page(ask: Calls["page"]["ask"]): Calls["page"]["answer"] {
    const { revision = this.#revision, end, limit } = ask;
    const missing = this.#missing(revision);
    if (missing !== undefined) return missing;
    const select = this.#sql(`SELECT * ${STATE_AT} ORDER BY key LIMIT ?4`);
    const rows: KeyValue[] = [];
    let [from, bytes, more] = [ask.from, 0, true];
    while (more && rows.length < Math.min(limit, PAGE_ROWS) && bytes < PAGE_BYTES) {
      const stride = Math.min(STRIDE, limit - rows.length);
      const read = select.all(from, end, revision, stride).map(keyValue);
      for (const row of read) {
        rows.push(row);
        bytes += row.value.byteLength;
        from = `${row.key}\0`;
      }
      more = read.length === stride;
    }
    const items = rows.map(({ key, createRevision, revision: written }) => ({
      key,
      createRevision,
      revision: written,
    }));
    return { kind: "page", items, values: packValues(rows.map(({ value }) => value)), revision, more };
  }

  count({ from, end, revision = this.#revision }: Calls["count"]["ask"]): Calls["count"]["answer"] {
    const missing = this.#missing(revision);
    if (missing !== undefined) return missing;
    const counted = this.#sql(
      `SELECT count(*) AS n, max(key) AS last FROM (SELECT key ${STATE_AT} ORDER BY key LIMIT ${COUNTED})`,
    ).get(from, end, revision);
    const count = integer(counted, "n");
    return { count, last: count < COUNTED ? undefined : String(counted?.["last"]), revision };
  }

  events(after: number): Calls["events"]["answer"] {
    const missing = this.#missing(after);
    if (missing !== undefined) return missing;
    const select = this.#sql("SELECT * FROM kv WHERE revision > ?1 ORDER BY revision LIMIT ?2");
    const replaced = this.#sql("SELECT * FROM kv WHERE revision = ?1");
    const events: HistoryEvent[] = [];
    const [values, previousValues]: [Uint8Array[], Uint8Array[]] = [[], []];
    let [from, bytes, more] = [after, 0, true];
    while (more && events.length < PAGE_ROWS && bytes < PAGE_BYTES) {
      const rows = select.all(from, STRIDE);
      for (const row of rows) {
        const deleted = integer(row, "deleted") === 1;
        const before = integer(row, "prev_revision");
        const previous = before === 0 ? undefined : keyValue(replaced.get(before) ?? {});
        from = integer(row, "revision");
        events.push({
          type: deleted ? "delete" : previous === undefined ? "create" : "update",
          key: String(row["key"]),
          revision: from,
          previous: previous && { createRevision: previous.createRevision, revision: previous.revision },
        });
        if (deleted) checkRow(row);
        else values.push(keyValue(row).value);
        if (previous !== undefined) previousValues.push(previous.value);
        bytes += (previous?.value.byteLength ?? 0) + (deleted ? 0 : (values.at(-1)?.byteLength ?? 0));
      }
      more = rows.length === STRIDE;
    }
    return { kind: "events", events, values: packValues(values), previousValues: packValues(previousValues) };
  }

  /** {@link Kv.recent}. */
  recent({ revisions, bytes }: Calls["recent"]["ask"]): number {
    const oldest = Math.max(this.#compacted, this.#revision - revisions);
    const select = this.#sql(
      `SELECT revision, length(value) AS size FROM kv WHERE revision > ?1 AND revision <= ?2
       ORDER BY revision DESC LIMIT ${STRIDE}`,
    );
    let [from, size] = [this.#revision, 0];
    while (from > oldest) {
      const rows = select.all(oldest, from);
      if (rows.length === 0) return oldest;
      for (const row of rows) {
        size += row["size"] === null ? 0 : integer(row, "size");
        if (size > bytes) return from;
        from = integer(row, "revision") - 1;
      }
    }
    return oldest;
  }

  /** Compacts up to `revision` and returns the revision that the store is then compacted to. */
  compact(revision: number): number {
    const target = Math.min(revision, this.#revision);
    if (target <= this.#compacted) return this.#compacted;
    this.#commit(() => this.#forget(target));
    this.#compacted = target;
    return target;
  }

  /**
   * Skips the revisions up to and including `revision`: their writes are lost. The store does not give them out again, and a
   * read at one of them gets {@link CompactedError}.
   */
  skip(revision: number): void {
    if (revision <= this.#revision) return;
    this.#commit(() => {
      this.#forget(this.#revision);
      this.#sql("UPDATE state SET revision = ?1, compacted = ?1").run(revision + 1);
    });
    this.#revision = revision + 1;
    this.#compacted = revision + 1;
  }

  /** {@link Kv.restore}, in one commit. */
  restore({ revision, items, removed }: Restored): void {
    const head = Math.max(revision, this.#revision);
    this.#commit(() => {
      this.#forget(this.#revision);
      const remove = this.#sql("DELETE FROM kv WHERE key = ?1");
      for (const key of removed) remove.run(key);
      for (const { key } of items) remove.run(key);
      const insert = this.#sql("INSERT INTO kv VALUES (?1, ?2, ?3, 0, 0, ?4, ?5, ?6)");
      for (const item of items) {
        const { key, createRevision, value, expiresAt = null } = item;
        const checksum = rowChecksum({ key, revision: item.revision, createRevision, previousRevision: 0, value });
        insert.run(item.revision, key, createRevision, value, expiresAt, checksum);
      }
      this.#sql("UPDATE state SET revision = ?1, compacted = ?1").run(head);
    });
    this.#revision = head;
    this.#compacted = head;
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

  /** Checkpoints the write-ahead log into the database and truncates it. Throws unless it succeeds completely. */
  fold(): void {
    const done = this.#sql("PRAGMA wal_checkpoint(TRUNCATE)").get();
    if (integer(done, "busy") !== 0) throw new Error("the write-ahead log is being read");
  }

  /** Commits without a change, to test that commits succeed and that the committed revision is the expected one. */
  touch(): void {
    this.#commit(() => this.#sql("UPDATE state SET revision = revision").run());
    const state = this.#sql("SELECT revision, compacted FROM state WHERE id = 1").get();
    if (integer(state, "revision") !== this.#revision || integer(state, "compacted") !== this.#compacted) {
      throw new Error(`it is at revision ${integer(state, "revision")} instead of ${this.#revision}`);
    }
  }

  /** The bytes that can be written before the database reaches its size limit. */
  room(): number {
    const pragma = (name: string): number => integer(this.#sql(`PRAGMA ${name}`).get(), name);
    return (pragma("max_page_count") - pragma("page_count") + pragma("freelist_count")) * pragma("page_size");
  }

  #missing(revision: number): NoSuchRevision | undefined {
    if (revision > this.#revision) return { kind: "future", current: this.#revision };
    if (revision < this.#compacted) return { kind: "compacted", compacted: this.#compacted };
    return undefined;
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

  /** Runs inside a commit. */
  #forget(target: number): void {
    // Only rows of this range can have replaced rows that still exist.
    this.#sql(
      `DELETE FROM kv WHERE revision IN
         (SELECT prev_revision FROM kv WHERE revision > ?1 AND revision <= ?2 AND prev_revision > 0)`,
    ).run(this.#compacted, target);
    this.#sql("DELETE FROM kv WHERE revision > ?1 AND revision <= ?2 AND deleted = 1").run(this.#compacted, target);
    this.#sql("UPDATE state SET compacted = ?1").run(target);
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
        // SQLite has rolled back already.
      }
      throw error;
    }
  }

  #sql(text: string): SqlStatement {
    let statement = this.#statements.get(text);
    if (statement === undefined) this.#statements.set(text, (statement = this.db.prepare(text)));
    return statement;
  }
}

/** Throws for a row that differs from what was written. */
function keyValue(row: SqlRow): KeyValue {
  checkRow(row);
  return {
    key: String(row["key"]),
    value: blob(row["value"]),
    createRevision: integer(row, "create_revision"),
    revision: integer(row, "revision"),
  };
}

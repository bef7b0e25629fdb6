import { crc32 } from "node:zlib";
import { errorMessage } from "../../../base/text/error-message.js";
import { blob, integer, type SqlDatabase, type SqlRow } from "./driver.js";

/** "kbts": identifies the file as a kubets store. */
const APPLICATION_ID = 0x6b627473;
const SCHEMA_VERSION = 1;

/**
 * A row of `kv` is one revision of one key; the newest row of a key is its current state. `prev_revision` is the row that it
 * replaced, 0 for a create. Replaced rows stay until compaction. `checksum` is {@link rowChecksum}. `state` has one row.
 */
const SCHEMA = `
  CREATE TABLE kv (
    revision INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    create_revision INTEGER NOT NULL,
    prev_revision INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    value BLOB,
    expires_at INTEGER,
    checksum INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX kv_key ON kv (key, revision);
  CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL, compacted INTEGER NOT NULL);
  INSERT INTO state VALUES (1, 1, 1);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

export function createSchema(db: SqlDatabase): void {
  db.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT;`);
}

/** The checksum of a row. SQLite verifies only its own structure; the checksum detects a value that changed on disk. */
export function rowChecksum(row: {
  readonly key: string;
  readonly revision: number;
  readonly createRevision: number;
  readonly previousRevision: number;
  readonly value: Uint8Array | null;
}): number {
  const head = `${row.key}\0${row.revision}\0${row.createRevision}\0${row.previousRevision}\0${row.value === null}`;
  return crc32(row.value ?? "", crc32(head));
}

/** Throws unless the row, with all its columns, matches its checksum. */
export function checkRow(row: SqlRow): void {
  const revision = integer(row, "revision");
  const expected = rowChecksum({
    key: String(row["key"]),
    revision,
    createRevision: integer(row, "create_revision"),
    previousRevision: integer(row, "prev_revision"),
    value: integer(row, "deleted") === 1 ? null : blob(row["value"]),
  });
  if (integer(row, "checksum") !== expected) throw new Error(`the value of revision ${revision} ${NOT_AS_WRITTEN}`);
}

const NOT_AS_WRITTEN = "is not what was written";

/** True when the message of a read error means that the database is damaged. Other errors may be temporary. */
export function speaksOfDamage(message: string): boolean {
  return message.endsWith(NOT_AS_WRITTEN) || /malformed|not a database/i.test(message);
}

export type Verdict =
  | { readonly kind: "good" }
  /** The database has no commits. */
  | { readonly kind: "empty" }
  | { readonly kind: "newer"; readonly version: number }
  | { readonly kind: "damaged"; readonly detail: string };

/**
 * Reads and verifies the whole database. Beyond SQLite's own check, every revision since the last compaction must exist
 * exactly once, and every row must match its checksum.
 */
export function inspect(db: SqlDatabase): Verdict {
  return judge(db, () => {
    const check = db.prepare("PRAGMA integrity_check(1)").get();
    const finding = check === undefined ? "no answer" : String(Object.values(check)[0]);
    if (finding !== "ok") return { kind: "damaged", detail: oneLine(finding) };
    return inspectRevisions(db);
  });
}

/** Checks the database's identity and version only. Its rows are verified when they are read. */
export function identify(db: SqlDatabase): Verdict {
  return judge(db, () => ({ kind: "good" }));
}

function judge(db: SqlDatabase, content: () => Verdict): Verdict {
  try {
    const application = pragma(db, "application_id");
    const version = pragma(db, "user_version");
    const tables = integer(db.prepare("SELECT count(*) AS n FROM sqlite_master").get(), "n");
    if (application === 0 && version === 0 && tables === 0) return { kind: "empty" };
    if (application !== APPLICATION_ID) return { kind: "damaged", detail: "not a database of kubets" };
    if (version > SCHEMA_VERSION) return { kind: "newer", version };
    return content();
  } catch (error) {
    return { kind: "damaged", detail: oneLine(errorMessage(error)) };
  }
}

function inspectRevisions(db: SqlDatabase): Verdict {
  const state = db.prepare("SELECT revision, compacted FROM state WHERE id = 1").get();
  if (state === undefined) return { kind: "damaged", detail: "its state is missing" };
  const revision = integer(state, "revision");
  const compacted = integer(state, "compacted");
  const kept = db.prepare("SELECT count(*) AS n, max(revision) AS last FROM kv WHERE revision > ?").get(compacted);
  const complete = integer(kept, "n") === revision - compacted;
  if (!complete || integer(kept, "last") !== (revision === compacted ? 0 : revision)) {
    return { kind: "damaged", detail: `revisions are missing between ${compacted} and ${revision}` };
  }
  return inspectRows(db);
}

const PAGE = 200;

function inspectRows(db: SqlDatabase): Verdict {
  const page = db.prepare("SELECT * FROM kv WHERE revision > ?1 ORDER BY revision LIMIT ?2");
  for (let after = 0; ; ) {
    const rows = page.all(after, PAGE);
    for (const row of rows) {
      checkRow(row);
      after = integer(row, "revision");
    }
    if (rows.length < PAGE) return { kind: "good" };
  }
}

function pragma(db: SqlDatabase, name: string): number {
  return integer(db.prepare(`PRAGMA ${name}`).get(), name);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

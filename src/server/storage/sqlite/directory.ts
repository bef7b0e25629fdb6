import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DataDirectoryError } from "./data-directory-error.js";
import type { SqlDatabase, SqlOpener } from "./driver.js";
import { createSchema, inspect, type Verdict } from "./schema.js";

/** A data directory that is ours until {@link release}. */
export interface HeldDirectory {
  readonly db: SqlDatabase;
  /** Bytes in the write-ahead log. */
  logBytes(): number;
  release(): void;
}

const DATABASE = "data.db";
const LOG = "data.db-wal";
const LOCK = "lock";
const OWNER = "owner";

/**
 * Takes the directory, making it when it is missing, and opens the database in it. Throws {@link DataDirectoryError},
 * having changed nothing, when another process has it or the database is damaged. The lock is the operating system's,
 * on a file of its own, so that a crash frees it.
 */
export function holdDirectory(directory: string, open: SqlOpener, processId: number): HeldDirectory {
  makeDirectory(directory);
  const lock = takeLock(directory, open);
  try {
    const db = openDatabase(directory, open);
    writeFileSync(join(directory, OWNER), `${processId}\n`);
    const log = join(directory, LOG);
    return {
      db,
      logBytes: () => sizeOf(log),
      release() {
        db.close();
        rmSync(join(directory, OWNER), { force: true });
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DataDirectoryError("unusable", `cannot create data directory ${directory}: ${messageOf(error)}`);
  }
}

function takeLock(directory: string, open: SqlOpener): SqlDatabase {
  let lock: SqlDatabase | undefined;
  try {
    lock = open(join(directory, LOCK));
    lock.prepare("PRAGMA journal_mode = MEMORY").get();
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock?.close();
    const message = messageOf(error);
    if (!/lock|busy/i.test(message)) {
      throw new DataDirectoryError("unusable", `cannot use data directory ${directory}: ${message}`);
    }
    throw new DataDirectoryError("in-use", `data directory ${directory} is in use by ${owner(directory)}`);
  }
}

function owner(directory: string): string {
  try {
    const id = readFileSync(join(directory, OWNER), "utf8").trim();
    if (/^[0-9]+$/.test(id)) return `process ${id}`;
  } catch {
    // It is just being opened or closed.
  }
  return "another process";
}

/**
 * A database with a write-ahead log is inspected as a copy: closing the original after opening it would already write
 * the log into it.
 */
function openDatabase(directory: string, open: SqlOpener): SqlDatabase {
  const file = join(directory, DATABASE);
  const unfinished = sizeOf(join(directory, LOG)) > 0;
  if (unfinished) refuse(directory, inspectCopy(directory, open));
  const hadLog = existsSync(join(directory, LOG));
  let db: SqlDatabase | undefined;
  try {
    db = open(file);
    db.exec("PRAGMA locking_mode = EXCLUSIVE");
    const verdict: Verdict = unfinished ? emptyOrGood(db) : inspect(db);
    refuse(directory, verdict);
    settle(db);
    if (verdict.kind === "empty") createSchema(db);
    return db;
  } catch (error) {
    db?.close();
    if (!hadLog && sizeOf(join(directory, LOG)) === 0) rmSync(join(directory, LOG), { force: true });
    if (error instanceof DataDirectoryError) throw error;
    throw damaged(directory, messageOf(error));
  }
}

function inspectCopy(directory: string, open: SqlOpener): Verdict {
  const copy = mkdtempSync(join(directory, "check-"));
  try {
    for (const name of [DATABASE, LOG]) {
      if (existsSync(join(directory, name))) copyFileSync(join(directory, name), join(copy, name));
    }
    const db = open(join(copy, DATABASE));
    try {
      db.exec("PRAGMA locking_mode = EXCLUSIVE");
      return inspect(db);
    } finally {
      db.close();
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The copy was found good; what is left to learn is whether anything was ever committed. */
function emptyOrGood(db: SqlDatabase): Verdict {
  const tables = db.prepare("SELECT 1 FROM sqlite_master LIMIT 1").get();
  return { kind: tables === undefined ? "empty" : "good" };
}

function settle(db: SqlDatabase): void {
  db.prepare("PRAGMA journal_mode = WAL").get();
  db.exec("PRAGMA synchronous = FULL");
  // The log is folded in by us, between commits, and emptied at once: a log that outlives its folding could be cut
  // short behind what the database already holds.
  db.prepare("PRAGMA wal_autocheckpoint = 0").get();
}

function refuse(directory: string, verdict: Verdict): void {
  if (verdict.kind === "damaged") throw damaged(directory, verdict.detail);
  if (verdict.kind === "newer") {
    throw new DataDirectoryError(
      "newer",
      `data directory ${directory} was written by a newer version of kubets (its format is ${verdict.version})`,
    );
  }
}

function damaged(directory: string, detail: string): DataDirectoryError {
  return new DataDirectoryError(
    "damaged",
    `data directory ${directory} is damaged (${detail}) and was left as it is: restore it from a copy or remove it`,
  );
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

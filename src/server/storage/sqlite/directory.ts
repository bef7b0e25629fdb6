import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../../../base/text/error-message.js";
import { keepPrivate, makeOwnFolder, makePrivateFile } from "../../../base/files/private-files.js";
import { AcknowledgedRevision } from "./acknowledged-revision.js";
import { isClosed, markClosed, removeClosedMark } from "./closed-mark.js";
import { DataDirectoryError, damagedDirectory } from "./data-directory-error.js";
import type { SqlDatabase, SqlOpener } from "./driver.js";
import { createSchema, identify, inspect, type Verdict } from "./schema.js";

/** A data directory that this process has locked until {@link release}. */
export interface HeldDirectory {
  readonly path: string;
  readonly db: SqlDatabase;
  readonly acknowledged: AcknowledgedRevision;
  /** The size of the write-ahead log in bytes. */
  logBytes(): number;
  /** Makes the next start verify the whole database, because damage was found. */
  distrust(): void;
  /** Closes everything. `settled`: every commit is in the database file itself. */
  release(options: { readonly settled: boolean }): void;
}

export const DATABASE = "data.db";
const LOG = "data.db-wal";
const LOCK = "lock";
const OWNER = "owner";

/** What an earlier version may have written for all to read. */
const KEPT_BESIDE = [OWNER, "acknowledged"];

export interface HoldOptions {
  readonly open: SqlOpener;
  /** Written to the directory, so that other processes can name its owner. */
  readonly processId: number;
  /**
   * Runs {@link inspectWithLog} for the file in a thread of its own. Some drivers keep a file open until their thread ends.
   */
  readonly inspectApart: (file: string) => Promise<Verdict>;
  /** Verifies the whole database even when it was closed cleanly and is unchanged since. */
  readonly inspectAll: boolean;
}

/**
 * Locks the directory, creates it when it is missing, and opens the database in it. Throws {@link DataDirectoryError},
 * without a change, when another process has the lock or the database is damaged. The operating system holds the lock, on a
 * separate file, so that a crash frees it.
 */
export async function holdDirectory(directory: string, options: HoldOptions): Promise<HeldDirectory> {
  makeDirectory(directory);
  const lock = takeLock(directory, options.open);
  try {
    const db = await openDatabase(directory, options);
    for (const kept of KEPT_BESIDE) keepPrivate(join(directory, kept));
    const acknowledged = new AcknowledgedRevision(directory);
    const log = join(directory, LOG);
    writeOwner(directory, options.processId);
    let distrusted = false;
    return {
      path: directory,
      db,
      acknowledged,
      logBytes: () => sizeOf(log),
      distrust: () => (distrusted = true),
      release({ settled }) {
        db.close();
        const whole = settled && sizeOf(log) === 0;
        acknowledged.close({ remove: whole });
        if (whole && !distrusted) markClosed(directory, DATABASE);
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
    makeOwnFolder(directory);
  } catch (error) {
    throw new DataDirectoryError("unusable", `cannot create data directory ${directory}: ${errorMessage(error)}`);
  }
}

function takeLock(directory: string, open: SqlOpener): SqlDatabase {
  let lock: SqlDatabase | undefined;
  try {
    makePrivateFile(join(directory, LOCK));
    lock = open(join(directory, LOCK));
    lock.prepare("PRAGMA journal_mode = MEMORY").get();
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock?.close();
    const message = errorMessage(error);
    if (!/lock|busy/i.test(message)) {
      throw new DataDirectoryError("unusable", `cannot use data directory ${directory}: ${message}`);
    }
    throw new DataDirectoryError("in-use", `data directory ${directory} is in use by ${owner(directory)}`);
  }
}

function writeOwner(directory: string, processId: number): void {
  try {
    writeFileSync(join(directory, OWNER), `${processId}\n`, { mode: 0o600 });
  } catch {
    // The disk is full. Other processes then learn that the directory is in use, but not by which process.
  }
}

function owner(directory: string): string {
  try {
    const id = readFileSync(join(directory, OWNER), "utf8").trim();
    if (/^[0-9]+$/.test(id)) return `process ${id}`;
  } catch {
    // The owner is just opening or closing it.
  }
  return "another process";
}

/**
 * Verifies a database with a write-ahead log through a read-only connection. Closing a writable one would already checkpoint
 * the log.
 */
async function openDatabase(directory: string, { open, inspectApart, inspectAll }: HoldOptions): Promise<SqlDatabase> {
  const file = join(directory, DATABASE);
  const log = join(directory, LOG);
  if (sizeOf(file) === 0 && sizeOf(log) > 0) throw damagedDirectory(directory, "its database is missing, not its log");
  const unfinished = existsSync(log) && sizeOf(file) > 0;
  // SQLite gives its log and the index of it the mode of the database.
  for (const kept of [log, `${file}-shm`]) keepPrivate(kept);
  if (unfinished) {
    const verdict = await inspectApart(file);
    // The index of the log that the read-only connection left.
    rmSync(`${file}-shm`, { force: true });
    refuse(directory, verdict);
  }
  let db: SqlDatabase | undefined;
  try {
    makePrivateFile(file);
    db = open(file);
    db.exec("PRAGMA locking_mode = EXCLUSIVE");
    const trusted = unfinished || (!inspectAll && isClosed(directory, DATABASE));
    const verdict: Verdict = trusted ? identify(db) : inspect(db);
    refuse(directory, verdict);
    removeClosedMark(directory);
    settle(db);
    if (verdict.kind === "empty") createSchema(db);
    return db;
  } catch (error) {
    db?.close();
    if (!unfinished && sizeOf(log) === 0) rmSync(log, { force: true });
    if (error instanceof DataDirectoryError) throw error;
    throw damagedDirectory(directory, errorMessage(error));
  }
}

/** Verifies a database together with its log and changes neither. */
export function inspectWithLog(file: string, open: SqlOpener): Verdict {
  let db: SqlDatabase | undefined;
  try {
    db = open(file, { readOnly: true });
    return inspect(db);
  } catch (error) {
    return { kind: "damaged", detail: errorMessage(error) };
  } finally {
    db?.close();
  }
}

function settle(db: SqlDatabase): void {
  db.prepare("PRAGMA journal_mode = WAL").get();
  db.exec("PRAGMA synchronous = FULL");
  // {@link Commits} checkpoints the log between commits and truncates it at once. A log that remains after its checkpoint
  // could lose its tail and fall behind the database.
  db.prepare("PRAGMA wal_autocheckpoint = 0").get();
}

function refuse(directory: string, verdict: Verdict): void {
  if (verdict.kind === "damaged") throw damagedDirectory(directory, verdict.detail);
  if (verdict.kind === "newer") {
    throw new DataDirectoryError(
      "newer",
      `data directory ${directory} was written by a newer version of kubets (its format is ${verdict.version})`,
    );
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

import {
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  closeSync,
  constants,
  openSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../../../base/text/error-message.js";
import { keepPrivate, makeOwnFolder, makePrivateFile } from "../../../base/files/private-files.js";
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
 * Locks the directory, creates it if it is missing, and opens the database in it. Throws {@link DataDirectoryError}, without a
 * change, when another process has the lock or the database is damaged. The operating system holds the lock, on a separate file,
 * so that a crash frees it.
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
    throw new DataDirectoryError(
      "in-use",
      `data directory ${directory} is in use by ${owner(directory)}; stop that, or use another folder`,
    );
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
      `data directory ${directory} was written by a newer version of kubets (its format is ${verdict.version}); use that version, or another folder`,
    );
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

const CLOSED_MARK = "closed";

/**
 * Records that the database was closed cleanly, with the state of its file. The next start skips the full verification if
 * the file is unchanged.
 */
export function markClosed(directory: string, database: string): void {
  try {
    writeFileSync(join(directory, CLOSED_MARK), looksOf(join(directory, database)), { mode: 0o600 });
  } catch {
    // The disk is full. The next start verifies the whole database.
  }
}

/** True when the file is unchanged since it was marked. */
function isClosed(directory: string, database: string): boolean {
  try {
    return readFileSync(join(directory, CLOSED_MARK), "utf8") === looksOf(join(directory, database));
  } catch {
    // There is no mark, or it cannot be read.
    return false;
  }
}

/** Call it before the file changes. */
function removeClosedMark(directory: string): void {
  rmSync(join(directory, CLOSED_MARK), { force: true });
}

/** Any write, copy or replacement of the file changes one of these. */
function looksOf(file: string): string {
  const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}\n`;
}

const ACKNOWLEDGED = "acknowledged";

/**
 * The last acknowledged revision, in a file beside the database. The worker writes it after each commit and never flushes
 * it. After a power failure it may be behind the database, but never ahead: a database behind it has lost acknowledged
 * writes.
 */
class AcknowledgedRevision {
  readonly #path: string;
  #file: number | undefined;

  constructor(directory: string) {
    this.#path = join(directory, ACKNOWLEDGED);
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

import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { errorCode } from "../../../base/files/path-error.js";

/** A folder that this process holds until {@link release}. */
export interface ProcessLock {
  /** False when the lock is no longer there: the folder was removed, or another one has taken its place. */
  isHeld(): boolean;
  release(): void;
}

/** Another process holds the folder. */
export class FolderInUseError extends Error {
  override readonly name = "FolderInUseError";
}

interface Owner {
  readonly pid: number;
  readonly host: string;
  /** When the process began, where the system tells: another process may get its id later. */
  readonly started: string;
}

/**
 * Takes the lock of a folder: a file with the process's id, which is created atomically by a link. The lock of a process that has
 * ended is taken over. Throws {@link FolderInUseError}.
 */
export function takeProcessLock(path: string, folder: string): ProcessLock {
  const own: Owner = { pid: process.pid, host: hostname(), started: startOf(process.pid) };
  const draft = `${path}.${process.pid}-${++drafts}`;
  const text = `${JSON.stringify(own)}\n`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    while (!linked(draft, path)) removeAbandoned(path, draft, folder);
    const { ino } = statSync(draft, { bigint: true });
    return {
      isHeld: () => statSync(path, { bigint: true, throwIfNoEntry: false })?.ino === ino,
      release() {
        if (read(path) === text) rmSync(path, { force: true });
      },
    };
  } finally {
    rmSync(draft, { force: true });
  }
}

let drafts = 0;

/** Removes the lock of a process that has ended. */
function removeAbandoned(path: string, draft: string, folder: string): void {
  const text = read(path);
  if (text === undefined) return;
  const owner = parse(text);
  if (owner === undefined || isAlive(owner)) throw inUse(folder, path, owner);
  const taken = `${draft}.old`;
  try {
    renameSync(path, taken);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
  // Another process was faster, and this is its lock: it gets it back.
  const isOther = read(taken) !== text;
  if (isOther) linked(taken, path);
  rmSync(taken, { force: true });
  if (isOther) throw inUse(folder, path, parse(read(path) ?? ""));
}

function inUse(folder: string, lock: string, owner: Owner | undefined): FolderInUseError {
  if (owner === undefined) {
    return new FolderInUseError(`folder ${folder} is in use by another process; when there is none, remove ${lock}`);
  }
  const where = owner.host === hostname() ? "" : ` on ${owner.host}`;
  const remedy = where === "" ? "stop that, or use another folder" : `when that has ended, remove ${lock}`;
  return new FolderInUseError(`folder ${folder} is in use by process ${owner.pid}${where}; ${remedy}`);
}

function parse(text: string): Owner | undefined {
  try {
    const { pid, host, started } = JSON.parse(text) as Partial<Owner>;
    const isOwner = Number.isSafeInteger(pid) && typeof host === "string" && typeof started === "string";
    return isOwner ? { pid: Number(pid), host, started } : undefined;
  } catch {
    return undefined;
  }
}

/** What runs on another machine cannot be seen from here. */
function isAlive({ pid, host, started }: Owner): boolean {
  if (host !== hostname()) return true;
  // A store of this process that was closed has released its lock.
  if (pid === process.pid) return started === startOf(pid);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) !== "EPERM") return false;
  }
  const now = startOf(pid);
  return now === "" || started === "" || now === started;
}

/** When a process began, in the words of Linux; "" where it does not say. */
function startOf(pid: number): string {
  const fields = (read(`/proc/${pid}/stat`) ?? "").split(") ").at(-1)?.split(" ") ?? [];
  return fields[19] ?? "";
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

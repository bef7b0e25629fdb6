import {
  chmodSync,
  closeSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, PathError } from "./path-error.js";

/*
 * Files and folders that hold objects, keys or programs. Their modes do not depend on the umask: what the program makes is closed, and a
 * folder that was there keeps its mode, which {@link privacyFaults} finds.
 */

/**
 * Makes a folder and those that are missing above it, each with exactly this mode. A folder that is there keeps its own. Throws what
 * mkdir throws.
 */
export function makeOwnFolder(path: string, mode: 0o700 | 0o755 = 0o700): void {
  if (tryMake(path, mode)) return;
  makeOwnFolder(dirname(path), mode);
  // Below a folder that takes no entries, such as /proc, it is missing still.
  if (!tryMake(path, mode)) throw new PathError("mkdir", path, { code: "ENOENT" });
}

/** False where the folder above is missing. */
function tryMake(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST" && statSync(path).isDirectory()) return true;
    if (code === "ENOENT" && dirname(path) !== path) return false;
    throw error;
  }
  chmodSync(path, mode);
  return true;
}

/** Makes an empty file that only its owner reads, or closes the one that is there. What fails is left to whoever opens it. */
export function makePrivateFile(path: string): void {
  try {
    const file = openSync(path, "ax", 0o600);
    fchmodSync(file, 0o600);
    closeSync(file);
  } catch {
    keepPrivate(path);
  }
}

/** Closes a file to all but its owner. One that is missing, or that another user owns, stays as it is. */
export function keepPrivate(path: string): void {
  try {
    const found = lstatSync(path);
    if (found.isFile() && isOpen(found)) chmodSync(path, 0o600);
  } catch {
    // privacyFaults tells of what is not private.
  }
}

/** What of a folder, and of the files in it, other users may read or change, in a sentence each. None on Windows. */
export function privacyFaults(folder: string): readonly string[] {
  const own = process.getuid?.();
  if (own === undefined) return [];
  try {
    const found = readdirSync(folder).map((name) => [name, lstatSync(join(folder, name))] as const);
    const files = found.filter(([, stats]) => stats.isFile());
    return [
      ...faultsOf(`the folder ${folder}`, statSync(folder), own, `chmod 700 ${folder}`),
      ...files.flatMap(([name, stats]) =>
        faultsOf(`the file ${join(folder, name)}`, stats, own, `chmod 600 ${join(folder, name)}`),
      ),
    ];
  } catch {
    // A folder that cannot be listed is a fault of its own, which whoever uses it reports.
    return [];
  }
}

function faultsOf(what: string, stats: Stats, own: number, remedy: string): readonly string[] {
  if (stats.uid !== own) return [`${what} belongs to another user (${stats.uid}), who can read and change it`];
  if (!isOpen(stats)) return [];
  return [`${what} is open to other users (its mode is ${(stats.mode & 0o777).toString(8)}); close it with: ${remedy}`];
}

const isOpen = ({ mode }: Stats): boolean => (mode & 0o077) !== 0;

import { chmodSync, renameSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Random } from "../base/numbers/random.js";
import { errorCode } from "../base/files/path-error.js";

/**
 * Writes a file of a cache, and its folder, atomically: other processes read it at any time. It has the permissions that
 * kubectl gives it. Throws where it cannot be written and leaves nothing behind.
 */
export function writeCacheFile(file: string, content: string | Uint8Array, random: Random): void {
  const temporary = `${file}.${process.pid}${Buffer.from(random.bytes(5)).toString("hex")}`;
  makeFolder(dirname(file), 0o750);
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: "wx" });
    chmodSync(temporary, 0o660);
    renameSync(temporary, file);
  } catch (error) {
    removeCacheFile(temporary);
    throw error;
  }
}

/** Removes a file of a cache if it can. Ignores errors: even with `force`, rm fails below a path that is no folder. */
export function removeCacheFile(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The caller goes on without the cache.
  }
}

/**
 * Creates a folder and its parents. Throws where that fails. Node's own recursive mkdir never returns below a folder that
 * takes no entries, such as /proc.
 */
export function makeFolder(path: string, mode: number): void {
  if (tryMake(path, mode)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above, mode);
  if (!tryMake(path, mode)) throw new Error(`cannot make the folder ${path}`);
}

/** Returns false when the parent folder is missing. */
function tryMake(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return true;
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

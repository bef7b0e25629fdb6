import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Random } from "../base/numbers/random.js";
import { makeFolder } from "./make-folder.js";

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

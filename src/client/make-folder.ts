import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../base/files/path-error.js";

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

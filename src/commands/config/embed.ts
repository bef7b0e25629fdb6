import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { PathError } from "../../base/files/path-error.js";

/** @throws when the file behind `--flag` is not there */
export function requireEmbeddable(flag: string, path: string, cwd: string): void {
  try {
    statSync(resolve(cwd, path));
  } catch (error) {
    throw new Error(`could not stat ${flag} file ${path}: ${new PathError("stat", path, error).message}`);
  }
}

/** The bytes of a file, or none when it cannot be read: it was there a moment ago. */
export function readEmbedded(path: string, cwd: string): Uint8Array | undefined {
  try {
    return readFileSync(resolve(cwd, path));
  } catch {
    return undefined;
  }
}

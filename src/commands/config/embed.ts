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

/** Reads the bytes of a file; undefined when it cannot be read, because it has vanished since it was checked. */
export function readEmbedded(path: string, cwd: string): Uint8Array | undefined {
  try {
    return readFileSync(resolve(cwd, path));
  } catch {
    return undefined;
  }
}

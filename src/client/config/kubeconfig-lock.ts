import { closeSync, existsSync, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { PathError } from "../../base/files/path-error.js";

/**
 * Runs `work` under the lock files of all the kubeconfigs, as kubectl does, so that the two tools exclude each other. Locks
 * the files in the order of their names. Throws a PathError at once when another process holds a lock.
 */
export async function withLocks<T>(files: readonly string[], cwd: string, work: () => Promise<T>): Promise<T> {
  const held: string[] = [];
  try {
    for (const file of files.toSorted()) held.push(lock(file, cwd));
    return await work();
  } finally {
    for (const path of held) rmSync(path, { force: true });
  }
}

function lock(file: string, cwd: string): string {
  const path = resolve(cwd, `${file}.lock`);
  if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  try {
    closeSync(openSync(path, "wx", 0));
  } catch (error) {
    throw new PathError("open", `${file}.lock`, error);
  }
  return path;
}

import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MARK = "closed";

/**
 * Notes that the database file was closed with nothing left to do, and how it looked then. Whoever opens it next and
 * finds it just so need not inspect all of it.
 */
export function markClosed(directory: string, database: string): void {
  try {
    writeFileSync(join(directory, MARK), looksOf(join(directory, database)));
  } catch {
    // A full disk: the next start inspects.
  }
}

/** Whether the file is as it was when it was marked. */
export function isClosed(directory: string, database: string): boolean {
  try {
    return readFileSync(join(directory, MARK), "utf8") === looksOf(join(directory, database));
  } catch {
    // Never marked, or it cannot be read.
    return false;
  }
}

/** To be called before the file changes. */
export function removeClosedMark(directory: string): void {
  rmSync(join(directory, MARK), { force: true });
}

/** Any write, copy or replacement of the file changes it. */
function looksOf(file: string): string {
  const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}\n`;
}

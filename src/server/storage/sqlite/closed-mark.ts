import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MARK = "closed";

/**
 * Records that the database was closed cleanly, with the state of its file. The next start skips the full verification if
 * the file is unchanged.
 */
export function markClosed(directory: string, database: string): void {
  try {
    writeFileSync(join(directory, MARK), looksOf(join(directory, database)), { mode: 0o600 });
  } catch {
    // The disk is full. The next start verifies the whole database.
  }
}

/** True when the file is unchanged since it was marked. */
export function isClosed(directory: string, database: string): boolean {
  try {
    return readFileSync(join(directory, MARK), "utf8") === looksOf(join(directory, database));
  } catch {
    // There is no mark, or it cannot be read.
    return false;
  }
}

/** Call it before the file changes. */
export function removeClosedMark(directory: string): void {
  rmSync(join(directory, MARK), { force: true });
}

/** Any write, copy or replacement of the file changes one of these. */
function looksOf(file: string): string {
  const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}\n`;
}

import { renameSync, writeFileSync } from "node:fs";

/** Writes a file that a server may be reading: the server sees the text before or this one, never the beginning of a write. */
export function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

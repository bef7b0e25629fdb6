import { existsSync } from "node:fs";
import { join } from "node:path";
import { DataDirectoryError } from "./data-directory-error.js";
import { DATABASE } from "./directory.js";
import type { CheckReport } from "./protocol.js";
import { askOnce } from "./worker-client.js";

export type CheckedDirectory = Omit<Extract<CheckReport, { kind: "checked" }>, "kind">;

/**
 * Verifies the whole database of a directory that no server uses, compacts it and frees the space. Throws {@link
 * DataDirectoryError} when the directory is in use, damaged or not writable.
 */
export async function checkDataDirectory(directory: string): Promise<CheckedDirectory> {
  if (!existsSync(join(directory, DATABASE))) {
    throw new DataDirectoryError("unusable", `there is no database in data directory ${directory}`);
  }
  const report = await askOnce<CheckReport>({ directory, maxBytes: undefined, check: true });
  if (report.kind === "refused") throw new DataDirectoryError(report.problem, report.message);
  const { kind: _, ...checked } = report;
  return checked;
}

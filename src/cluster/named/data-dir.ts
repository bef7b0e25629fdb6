import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeOwnFolder } from "../../base/files/private-files.js";
import { namedClusterError } from "./named-cluster-error.js";

/** Marks a folder as ours: only a folder that has it is ever removed. */
const MARKER = "kubets-data.json";

/**
 * Makes the folder, which no other user may enter, or takes one that is empty or ours and leaves its mode; answers whether it became
 * ours only now. Throws for a folder that holds anything else.
 */
export async function claimDataDir(folder: string): Promise<boolean> {
  try {
    makeOwnFolder(folder);
  } catch (error) {
    throw namedClusterError(`cannot make the data folder ${folder}: ${(error as Error).message}`);
  }
  const entries = await readdir(folder);
  if (entries.includes(MARKER)) return false;
  if (entries.length > 0) {
    throw namedClusterError(
      `the folder ${folder} is not empty and holds no kubets data; give a new or an empty one with --data-dir`,
    );
  }
  await writeFile(join(folder, MARKER), '{"format":1}\n', { mode: 0o600 });
  return true;
}

/** Removes the folder with all it holds, if it is ours. */
export async function removeDataDir(folder: string): Promise<void> {
  const entries = await readdir(folder).catch(() => [] as string[]);
  if (entries.includes(MARKER)) await rm(folder, { recursive: true, force: true });
}

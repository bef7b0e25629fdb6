import { existsSync } from "node:fs";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../base/files/path-error.js";

/** Texts by their paths in the project, with / on every system. */
export type ProjectFiles = Readonly<Record<string, string>>;

/**
 * Writes files into a folder, all of them or none: where one of them is there already nothing is written, and the Error names those that
 * are. A write that fails removes what was written before it.
 */
export async function writeProjectFiles(folder: string, files: ProjectFiles): Promise<void> {
  const paths = Object.keys(files);
  const there: string[] = [];
  for (const path of paths) if (await exists(join(folder, path))) there.push(path);
  if (there.length > 0) {
    throw new Error(`nothing was written to ${folder}, because it has ${there.join(", ")} already`);
  }
  const written: string[] = [];
  try {
    for (const path of paths) {
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, files[path] ?? "", { flag: "wx" });
      written.push(target);
    }
  } catch (error) {
    await Promise.all(written.map((target) => rm(target, { force: true })));
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return false;
    throw error;
  }
}

/** The folder of the package.json that is nearest, from `from` upward. Throws an Error where there is none. */
export function projectFolder(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder))
      throw new Error(`${from} is in no project: there is no package.json, here or above`);
  }
}

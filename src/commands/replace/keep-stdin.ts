import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PathError } from "../../base/files/path-error.js";
import type { Factory } from "../../cli/connect/factory.js";
import { makeTempFolder, removeTemp } from "../../cli/editing/temp-files.js";
import { readAll } from "../../resource/document-source.js";

/** Writes stdin to a file that only its owner reads, so that it can be read twice. */
export async function keepStdin(
  factory: Factory,
): Promise<{ readonly path: string; readonly done: () => Promise<void> }> {
  const folder = await makeTempFolder("kubectl_replace_", factory);
  const path = join(folder, "resource.stdin");
  try {
    await writeFile(path, await readAll(factory.streams.in));
  } catch (error) {
    await removeTemp(folder);
    throw new PathError("open", path, error);
  }
  return { path, done: () => removeTemp(folder) };
}

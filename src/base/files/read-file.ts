import { readFile } from "node:fs/promises";
import { errorCode, PathError } from "./path-error.js";

/** The bytes of a file. Rejects with a {@link PathError}: "open PATH: no such file or directory". */
export async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    // Go opens a folder, and then cannot read it.
    throw new PathError(errorCode(error) === "EISDIR" ? "read" : "open", path, error);
  }
}

/** The text of a file, UTF-8. Rejects as {@link readBytes}. */
export const readText = async (path: string): Promise<string> => (await readBytes(path)).toString("utf8");

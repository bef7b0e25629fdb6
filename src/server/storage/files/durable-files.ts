import { lstat, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeOwnFolder } from "../../../base/files/private-files.js";
import { errorCode } from "../../../base/files/path-error.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { UnavailableError } from "../kv.js";

/** What tells one state of a file from another without reading it. */
export interface FileStamp {
  readonly inode: bigint;
  readonly size: bigint;
  readonly modifiedNs: bigint;
}

export const sameStamp = (a: FileStamp | undefined, b: FileStamp | undefined): boolean =>
  a === b ||
  (a !== undefined && b !== undefined && a.inode === b.inode && a.size === b.size && a.modifiedNs === b.modifiedNs);

/** The stamp of a file, of whatever type; undefined where there is none. */
export async function stampOf(path: string): Promise<(FileStamp & { readonly isFile: boolean }) | undefined> {
  try {
    const stats = await lstat(path, { bigint: true });
    return { inode: stats.ino, size: stats.size, modifiedNs: stats.mtimeNs, isFile: stats.isFile() };
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** What the name of a file that is being written begins with. A crash may leave such a file, which the next start removes. */
export const TEMPORARY = ".kubets-";

/** The file is not as it was left: somebody else has changed it, made it or removed it. */
export class ChangedFileError extends Error {
  override readonly name = "ChangedFileError";
}

/**
 * Replaces files below a folder so that a crash leaves the old or the new content. A change is durable once {@link settle} has resolved
 * for it.
 */
export class DurableFiles {
  #count = 0;
  /** Folders that are there, and durable in the folders above. */
  readonly #folders = new Set<string>();

  constructor(private readonly root: string) {}

  /**
   * Writes a file that is as `known` says, undefined for one that is missing; returns its new stamp. Throws {@link ChangedFileError} for
   * a file that is not. Throws {@link UnavailableError} for every other failure.
   */
  async replace(path: string, content: Uint8Array, known: FileStamp | undefined): Promise<FileStamp> {
    const folder = dirname(path);
    const temporary = join(folder, `${TEMPORARY}${process.pid}-${++this.#count}`);
    let isNamed = false;
    try {
      const stamp = await this.#writeTemporary(temporary, content);
      if (!sameStamp(await stampOf(path), known)) throw new ChangedFileError(path);
      await rename(temporary, path);
      isNamed = true;
      return stamp;
    } catch (error) {
      throw error instanceof ChangedFileError ? error : failure(path, error, "not-done");
    } finally {
      if (!isNamed) await rm(temporary, { force: true }).catch(() => {});
    }
  }

  /** Removes a file that is as `known` says, as {@link replace} does. */
  async remove(path: string, known: FileStamp | undefined): Promise<void> {
    try {
      if (!sameStamp(await stampOf(path), known)) throw new ChangedFileError(path);
      await rm(path, { force: true });
    } catch (error) {
      throw error instanceof ChangedFileError ? error : failure(path, error, "not-done");
    }
  }

  /** Makes what was written at `path` durable, which another program may have done. */
  async flush(path: string): Promise<void> {
    const file = await open(path, "r");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Makes the names in a folder durable. When it rejects, nobody knows whether they are. */
  async settle(folder: string): Promise<void> {
    try {
      await this.flush(folder);
    } catch (error) {
      throw failure(folder, error, "unknown");
    }
  }

  /** The folder may have been removed. */
  forget(folder: string): void {
    this.#folders.delete(folder);
  }

  async #writeTemporary(path: string, content: Uint8Array): Promise<FileStamp> {
    const folder = dirname(path);
    await this.#makeFolder(folder);
    let file: Awaited<ReturnType<typeof open>>;
    try {
      file = await open(path, "wx", 0o600);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      // Somebody has removed the folder since it was made.
      this.#folders.delete(folder);
      await this.#makeFolder(folder);
      file = await open(path, "wx", 0o600);
    }
    try {
      await file.writeFile(content);
      await file.sync();
      const { ino, size, mtimeNs } = await file.stat({ bigint: true });
      return { inode: ino, size, modifiedNs: mtimeNs };
    } finally {
      await file.close();
    }
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#folders.has(folder)) return;
    makeOwnFolder(folder);
    for (let above = folder; above !== this.root && above.length > this.root.length; ) {
      above = dirname(above);
      await this.flush(above);
    }
    this.#folders.add(folder);
  }
}

function failure(path: string, error: unknown, outcome: "not-done" | "unknown"): UnavailableError {
  if (error instanceof UnavailableError) return error;
  return new UnavailableError(`cannot write ${path}: ${errorMessage(error)}`, outcome);
}

import { type BigIntStats, lstatSync } from "node:fs";
import { lstat, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeOwnFolder } from "../../../base/files/private-files.js";
import { errorCode } from "../../../base/files/path-error.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { UnavailableError } from "../kv.js";

/** The facts that distinguish states of a file without reading it. */
export interface FileStamp {
  readonly inode: bigint;
  readonly size: bigint;
  readonly modifiedNs: bigint;
}

export const sameStamp = (a: FileStamp | undefined, b: FileStamp | undefined): boolean =>
  a === b ||
  (a !== undefined && b !== undefined && a.inode === b.inode && a.size === b.size && a.modifiedNs === b.modifiedNs);

/** The stamp of a file of any type; undefined where the file does not exist. */
export async function stampOf(path: string): Promise<StampOfAny | undefined> {
  try {
    return stampFrom(await lstat(path, { bigint: true }));
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** {@link stampOf}, synchronously: it blocks the process for the call. */
export function stampNow(path: string): StampOfAny | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && stampFrom(stats);
}

type StampOfAny = FileStamp & { readonly isFile: boolean };

const stampFrom = (stats: BigIntStats): StampOfAny => ({
  inode: stats.ino,
  size: stats.size,
  modifiedNs: stats.mtimeNs,
  isFile: stats.isFile(),
});

/** The folder, below the root, of the store's own files. Files are written there first: Git and editors do not see them. */
export const OWN_FOLDER = ".kubets";

/** The prefix of the names of files that are being written. A crash may leave such a file behind, which the next start removes. */
export const TEMPORARY = "new-";

/** What the file system itself may need beside a file's bytes. */
const PROBE_EXTRA = 64 * 1024;

/** The file is not as the store has left it: another program has changed, made or removed it. */
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

  /** The bytes of a write that has failed; undefined since as many could be written. */
  #wanted: number | undefined;

  constructor(private readonly root: string) {}

  /** Throws {@link UnavailableError} while a write like the one that failed would fail again. */
  async check(): Promise<void> {
    const wanted = this.#wanted;
    if (wanted === undefined) return;
    const probe = join(this.root, OWN_FOLDER, `${TEMPORARY}${process.pid}-probe`);
    try {
      await rm(probe, { force: true });
      await writeTemporary(probe, Buffer.alloc(wanted + PROBE_EXTRA));
      await this.flush(this.root);
      this.#wanted = undefined;
    } catch (error) {
      throw failure(this.root, error, "not-done");
    } finally {
      await rm(probe, { force: true }).catch(() => {});
    }
  }

  /**
   * Writes a file that is as `known` says, undefined for one that is missing; returns its new stamp. Throws {@link ChangedFileError} for
   * a file that is not. Throws {@link UnavailableError} for every other failure.
   */
  async replace(path: string, content: Uint8Array, known: FileStamp | undefined): Promise<FileStamp> {
    const temporary = join(this.root, OWN_FOLDER, `${TEMPORARY}${process.pid}-${++this.#count}`);
    let isNamed = false;
    try {
      const stamp = await writeTemporary(temporary, content);
      if (!sameStamp(await stampOf(path), known)) throw new ChangedFileError(path);
      await this.#rename(temporary, path);
      isNamed = true;
      return stamp;
    } catch (error) {
      throw error instanceof ChangedFileError ? error : this.#failed(path, error, "not-done", content.byteLength);
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
      throw error instanceof ChangedFileError ? error : this.#failed(path, error, "not-done", 0);
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

  /** Makes the names in a folder durable. When it rejects, the store does not know whether they are. */
  async settle(folder: string): Promise<void> {
    try {
      await this.flush(folder);
    } catch (error) {
      throw this.#failed(folder, error, "unknown", 0);
    }
  }

  #failed(path: string, error: unknown, outcome: "not-done" | "unknown", bytes: number): UnavailableError {
    this.#wanted = Math.max(bytes, this.#wanted ?? 0);
    return failure(path, error, outcome);
  }

  async #rename(temporary: string, path: string): Promise<void> {
    const folder = dirname(path);
    await this.#makeFolder(folder);
    try {
      await rename(temporary, path);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      // Somebody has removed the folder since it was made.
      this.#folders.delete(folder);
      await this.#makeFolder(folder);
      await rename(temporary, path);
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

async function writeTemporary(path: string, content: Uint8Array): Promise<FileStamp> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
    const { ino, size, mtimeNs } = await file.stat({ bigint: true });
    return { inode: ino, size, modifiedNs: mtimeNs };
  } finally {
    await file.close();
  }
}

function failure(path: string, error: unknown, outcome: "not-done" | "unknown"): UnavailableError {
  if (error instanceof UnavailableError) return error;
  return new UnavailableError(`cannot write ${path}: ${errorMessage(error)}`, outcome);
}

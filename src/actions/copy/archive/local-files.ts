import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import { lstat, readdir, type FileHandle } from "node:fs/promises";
import { posix, resolve } from "node:path";
import { errorCode, PathError } from "../../../base/files/path-error.js";
import { joined } from "./local-names.js";

/** A file that is copied into a container. */
export interface LocalFile {
  readonly path: string;
  /** What it is called there. */
  readonly name: string;
  readonly type: "file" | "directory" | "symlink" | "special";
  readonly found: Stats;
}

/**
 * Yields a file, or the files of a folder and its subfolders in the order of their names, as kubectl does: only empty folders are
 * yielded themselves. Links are not followed, and files that vanish meanwhile are left out. Throws a PathError for a file that
 * cannot be read, and an error for a name that is not UTF-8.
 */
export async function* localFiles(path: string, name: string, cwd: string): AsyncGenerator<LocalFile, void> {
  const found = await look(path, cwd);
  if (found === undefined) return;
  const type = typeOf(found);
  const names = type === "directory" ? await childrenOf(path, cwd) : [];
  if (names.length === 0) yield { path, name, type, found };
  for (const child of names) yield* localFiles(joined(path, child), posix.join(name, child), cwd);
}

function typeOf(found: Stats): LocalFile["type"] {
  if (found.isDirectory()) return "directory";
  if (found.isSymbolicLink()) return "symlink";
  return found.isFile() ? "file" : "special";
}

/** Undefined for a file that is gone since its folder was read. */
async function look(path: string, cwd: string): Promise<Stats | undefined> {
  try {
    return await lstat(resolve(cwd, path));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw new PathError("lstat", path, error);
  }
}

/** In the order of their bytes, as Go reads a folder. */
async function childrenOf(path: string, cwd: string): Promise<readonly string[]> {
  const names = await inSystem("open", path, readdir(resolve(cwd, path), { encoding: "buffer" }));
  return names.sort(Buffer.compare).map((name) => textOfName(name, path));
}

/** Throws for a name that is not UTF-8: Node's text of it names no file. */
function textOfName(name: Buffer, folder: string): string {
  if (isUtf8(name)) return name.toString();
  throw new Error(`${joined(folder, escaped(name))}: the name is not UTF-8, and cannot be copied; rename the file`);
}

/** Decodes the target of a link. Throws for a target that is not UTF-8. */
export function textOfLink(target: Buffer, path: string): string {
  if (isUtf8(target)) return target.toString();
  throw new Error(`${path}: the link leads to ${escaped(target)}, which is not UTF-8, and cannot be copied`);
}

/** With each byte that is no printable ASCII as \xHH. */
const escaped = (name: Buffer): string =>
  name.toString("latin1").replaceAll(/[^ -~]/g, (byte) => `\\x${hex(byte.charCodeAt(0))}`);

const hex = (byte: number): string => byte.toString(16).padStart(2, "0");

/** Runs a file operation, and throws its failure in Go's words. */
export async function inSystem<T>(op: string, path: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw new PathError(op, path, error);
  }
}

/** The number of bytes that are read at a time. */
export const PIECE = 64 * 1024;

/** Yields the bytes of an open file from `from` to `to`, or to its end if that comes first. The reader may keep each piece. */
export async function* readPieces(
  file: FileHandle,
  { path, from = 0, to }: { readonly path: string; readonly from?: number; readonly to: number },
): AsyncGenerator<Uint8Array, void> {
  for (let read = from; read < to; ) {
    const piece = Buffer.allocUnsafeSlow(Math.min(PIECE, to - read));
    const { bytesRead } = await inSystem("read", path, file.read(piece, 0, piece.length, read));
    if (bytesRead === 0) return;
    read += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

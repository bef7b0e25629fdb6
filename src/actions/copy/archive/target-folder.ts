import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode, PathError } from "../../../base/files/path-error.js";
import { isOwnName } from "../../../base/files/path-component.js";
import { componentsBelow, joined } from "./local-names.js";

/** Thrown for an entry of an archive that cannot be written without leaving the destination. */
export class UnsafeTargetError extends Error {
  override readonly name = "UnsafeTargetError";
}

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
/** Windows has no such flag; there the look before it has to do. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/**
 * Makes folders and files at a destination and nowhere else. The destination may be, or lie behind, a link: the user named it. Every
 * component below it is looked at before anything is written there, and a link is never followed.
 */
export class TargetFolder {
  readonly #destination: string;
  readonly #cwd: string;
  readonly #platform: NodeJS.Platform;
  /** The folder that was made or found last: files that come after another mostly lie in it. */
  #known: string | undefined;

  /** `destination` as the user gave it: errors show it so. */
  constructor(destination: string, { cwd, platform }: { readonly cwd: string; readonly platform: NodeJS.Platform }) {
    this.#destination = destination;
    this.#cwd = cwd;
    this.#platform = platform;
  }

  /** Where a name of an archive leads, and whether that is the destination or below it. */
  place(name: string): { readonly path: string; readonly inside: boolean } {
    const path = joined(this.#destination, name);
    return { path, inside: componentsBelow(this.#resolved(this.#destination), this.#resolved(path)) !== undefined };
  }

  /** A folder and those above it. */
  async makeFolder(path: string): Promise<void> {
    if (path === this.#known) return;
    const components = this.#componentsOf(path);
    await makeAll(this.#destination, this.#resolved(this.#destination));
    let folder = this.#destination;
    for (const component of components) {
      folder = joined(folder, component);
      await this.#makeOne(folder);
    }
    this.#known = path;
  }

  /** A new file, or one that is written anew, and the folders above it. */
  async createFile(path: string): Promise<FileHandle> {
    const components = this.#componentsOf(path);
    if (components.length === 0) {
      const parent = dirname(path);
      await makeAll(parent, this.#resolved(parent));
      return await open(this.#resolved(path), CREATE, 0o666).catch((error: unknown) => {
        throw new PathError("open", path, error);
      });
    }
    await this.makeFolder(joined(this.#destination, join(".", ...components.slice(0, -1))));
    const found = await this.#look(path);
    if (found !== undefined) checkRegular(path, found);
    try {
      return await open(this.#resolved(path), CREATE | NO_LINK, 0o666);
    } catch (error) {
      if (errorCode(error) === "ELOOP") throw isLink(path);
      throw new PathError("open", path, error);
    }
  }

  /** A file that is there, to be read, or to be written to behind its end. Throws where it is none, or is behind a link. */
  async openFile(path: string, access: "read" | "append" = "read"): Promise<FileHandle> {
    const flags = access === "read" ? constants.O_RDONLY : constants.O_WRONLY | constants.O_APPEND;
    let folder = this.#destination;
    for (const component of this.#componentsOf(path).slice(0, -1)) {
      folder = joined(folder, component);
      if ((await this.#look(folder))?.isDirectory() !== true) throw new UnsafeTargetError(`${folder} is not a folder`);
    }
    const found = await this.#look(path);
    if (found !== undefined) checkRegular(path, found);
    return await open(this.#resolved(path), flags | NO_LINK).catch((error: unknown) => {
      throw new PathError("open", path, error);
    });
  }

  async #makeOne(folder: string): Promise<void> {
    const found = await this.#look(folder);
    if (found === undefined) {
      await mkdir(this.#resolved(folder), { mode: 0o755 }).catch((error: unknown) => {
        throw new PathError("mkdir", folder, error);
      });
    } else if (found.isSymbolicLink()) {
      throw isLink(folder);
    } else if (!found.isDirectory()) {
      throw new PathError("mkdir", folder, { code: "ENOTDIR" });
    }
  }

  #componentsOf(path: string): readonly string[] {
    const components = componentsBelow(this.#resolved(this.#destination), this.#resolved(path));
    const wrong = components?.find((component) => !isOwnName(component, this.#platform));
    if (components === undefined || wrong !== undefined) {
      throw new UnsafeTargetError(`${path} is not a file of its own on this system`);
    }
    return components;
  }

  /** Undefined where there is nothing. */
  async #look(path: string): Promise<Stats | undefined> {
    try {
      return await lstat(this.#resolved(path));
    } catch (error) {
      if (errorCode(error) === "ENOENT") return undefined;
      throw new PathError("lstat", path, error);
    }
  }

  readonly #resolved = (path: string): string => resolve(this.#cwd, path);
}

const isLink = (path: string): Error =>
  new UnsafeTargetError(
    `${path} is a symbolic link, and links below the destination are not followed; remove it or choose another destination`,
  );

function checkRegular(path: string, found: Stats): void {
  if (found.isSymbolicLink()) throw isLink(path);
  if (found.isDirectory()) throw new PathError("open", path, { code: "EISDIR" });
  if (!found.isFile()) throw new UnsafeTargetError(`${path} is a device, a pipe or a socket, and is not written to`);
}

/**
 * A folder that the user named, and those above it, through links if need be. One by one: Node 20's mkdir with `recursive` never ends
 * below /proc.
 */
async function makeAll(folder: string, resolved: string): Promise<void> {
  const found = await stat(resolved).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  if (found !== undefined) throw new PathError("mkdir", folder, { code: "ENOTDIR" });
  if (dirname(folder) !== folder) await makeAll(dirname(folder), dirname(resolved));
  try {
    await mkdir(resolved, { mode: 0o755 });
  } catch (error) {
    const made = await lstat(resolved).catch(() => undefined);
    if (made?.isDirectory() !== true) throw new PathError("mkdir", folder, error);
  }
}

/** Bytes that are written at a time. */
const WRITE_BUFFER = 256 * 1024;

/** Writes a file as its content arrives, and closes it. If the content breaks off, the received part is kept. `size` is an estimate. */
export async function fillFile(
  file: FileHandle,
  { path, size }: { readonly path: string; readonly size: number },
  content: AsyncIterable<Uint8Array>,
  progress: (written: number) => void,
): Promise<void> {
  // Chunks are copied into one buffer, which is written when it is full: chunks that waited for the disk would fill the memory.
  let buffer: Buffer | undefined;
  let used = 0;
  let written = 0;
  try {
    for await (const chunk of content) {
      buffer ??= Buffer.allocUnsafeSlow(Math.min(Math.max(size, 1), WRITE_BUFFER));
      for (let from = 0; from < chunk.length; ) {
        const part = chunk.subarray(from, from + buffer.length - used);
        buffer.set(part, used);
        used += part.length;
        from += part.length;
        if (used < buffer.length) continue;
        await writeAll(file, buffer, path);
        used = 0;
      }
      written += chunk.length;
      progress(written);
    }
  } finally {
    try {
      // What has arrived is kept when the rest does not.
      if (buffer !== undefined && used > 0) await writeAll(file, buffer.subarray(0, used), path);
    } finally {
      await file.close();
    }
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array, path: string): Promise<void> {
  try {
    for (let offset = 0; offset < chunk.length; ) offset += (await file.write(chunk, offset)).bytesWritten;
  } catch (error) {
    throw new PathError("write", path, error);
  }
}

import type { Clock } from "../../../base/clock.js";
import { nextSlice, sliceIsSpent } from "../../../base/time-slice.js";
import type { Program } from "../program.js";
import { FileError } from "./file-error.js";
import type { DeviceNode, DirectoryNode, FileNode, RegularNode } from "./node.js";

const MOST_LINKS = 40;
const LONGEST_PATH = 4096;

export interface FileSystemOptions {
  readonly clock: Clock;
  /** How many bytes of content fit; more is "No space left on device". Default 256 MiB. */
  readonly capacity?: number;
}

const DEFAULT_CAPACITY = 256 * 1024 * 1024;
/** What an entry of a directory counts beside its content, so that names alone cannot fill the memory. */
const ENTRY_BYTES = 256;

/** The files of a container, in memory. Paths are absolute or relative to `cwd`; they are resolved here and lead nowhere else. */
export class FileSystem {
  readonly root: DirectoryNode;
  readonly #capacity: number;
  readonly #clock: Clock;
  #used = 0;

  constructor({ clock, capacity = DEFAULT_CAPACITY }: FileSystemOptions) {
    this.#clock = clock;
    this.#capacity = capacity;
    this.root = this.#directory(0o755);
  }

  /** Bytes of content. */
  get used(): number {
    return this.#used;
  }

  /** Throws ENOENT, ENOTDIR or ELOOP. */
  find(path: string, { follow = true }: { readonly follow?: boolean } = {}): FileNode {
    return this.#walk(path, follow, 0).node;
  }

  /** Undefined where there is nothing. */
  look(path: string, options?: { readonly follow?: boolean }): FileNode | undefined {
    try {
      return this.find(path, options);
    } catch (error) {
      if (error instanceof FileError) return undefined;
      throw error;
    }
  }

  /** The names of a directory, sorted. */
  names(path: string): readonly string[] {
    const node = this.find(path);
    if (node.kind !== "directory") throw new FileError("ENOTDIR", path);
    return [...node.entries.keys()].sort();
  }

  /** Reads a file chunk by chunk. */
  async *read(path: string): AsyncGenerator<Uint8Array, void, undefined> {
    const node = this.find(path);
    if (node.kind === "directory") throw new FileError("EISDIR", path);
    if (node.kind === "device") {
      for await (const chunk of node.read()) {
        yield chunk;
        // Its bytes may have no end: a program that reads them must not keep the event loop.
        if (sliceIsSpent()) await nextSlice();
      }
    }
    // The index, not the list: a file may grow while it is read.
    if (node.kind === "file")
      for (let index = 0; index < node.chunks.length; index += 1) yield node.chunks[index] ?? EMPTY;
  }

  /** A whole file; meant for small ones. */
  content(path: string): Buffer {
    const node = this.find(path);
    if (node.kind === "directory") throw new FileError("EISDIR", path);
    return node.kind === "file" ? Buffer.concat(node.chunks) : Buffer.alloc(0);
  }

  /** Opens a file for writing, makes it where there is none, and empties it unless `append`. */
  open(path: string, { append = false, mode = 0o644 }: { append?: boolean; mode?: number } = {}): FileWriter {
    const { parent, name, node: found } = this.#place(path, true);
    if (found?.kind === "directory") throw new FileError("EISDIR", path);
    if (found?.kind === "device") return { write: async (chunk) => found.write(chunk) };
    let file = found?.kind === "file" && found.program === undefined ? found : undefined;
    if (file === undefined) {
      file = { kind: "file", chunks: [], size: 0, ...this.#attributes(mode) };
      this.#put(parent, name, file);
    } else if (!append) {
      this.#take(-file.size, path);
      file.chunks = [];
      file.size = 0;
    }
    const opened = file;
    return {
      write: async (chunk) => {
        this.#take(chunk.length, path);
        // A part of a larger buffer would keep all of it.
        opened.chunks.push(chunk.length < chunk.buffer.byteLength ? Buffer.copyBytesFrom(chunk) : chunk);
        opened.size += chunk.length;
        opened.mtime = this.#now();
      },
    };
  }

  /** Writes a whole file and the directories above it. */
  put(path: string, content: string | Uint8Array, mode = 0o644): void {
    this.makeDirectory(parentOf(path), { recursive: true });
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    this.remove(path, { force: true });
    const file: RegularNode = { kind: "file", chunks: [bytes], size: bytes.length, ...this.#attributes(mode) };
    this.#take(bytes.length, path);
    this.#link(path, file);
  }

  /** Makes an executable file that runs a program. */
  install(path: string, program: Program): void {
    this.makeDirectory(parentOf(path), { recursive: true });
    this.#link(path, { kind: "file", chunks: [], size: 0, program, ...this.#attributes(0o755) });
  }

  /** Makes a file whose bytes `device` makes and takes. */
  mount(path: string, device: Pick<DeviceNode, "read" | "write" | "size">): void {
    this.makeDirectory(parentOf(path), { recursive: true });
    this.#link(path, { kind: "device", ...device, ...this.#attributes(device.size === undefined ? 0o666 : 0o644) });
  }

  makeDirectory(path: string, { recursive = false, mode = 0o755 } = {}): void {
    if (recursive) {
      const names = segmentsOf(path);
      for (let depth = 1; depth <= names.length; depth += 1) {
        const part = `/${names.slice(0, depth).join("/")}`;
        const node = this.look(part);
        if (node === undefined) this.#link(part, this.#directory(mode));
        else if (node.kind !== "directory") throw new FileError(depth === names.length ? "EEXIST" : "ENOTDIR", path);
      }
      return;
    }
    if (this.look(path, { follow: false }) !== undefined) throw new FileError("EEXIST", path);
    this.#link(path, this.#directory(mode));
  }

  symlink(target: string, path: string): void {
    if (this.look(path, { follow: false }) !== undefined) throw new FileError("EEXIST", path);
    this.#link(path, { kind: "link", target, ...this.#attributes(0o777) });
  }

  /** Removes a file, or what `options` allow. */
  remove(path: string, { recursive = false, force = false, directory = false }: RemoveOptions = {}): void {
    let place: Place;
    try {
      place = this.#place(path, false);
    } catch (error) {
      if (force && error instanceof FileError) return;
      throw error;
    }
    const { parent, name, node } = place;
    if (node === undefined) {
      if (force) return;
      throw new FileError("ENOENT", path);
    }
    if (node.kind === "directory") {
      if (!directory && !recursive) throw new FileError("EISDIR", path);
      if (!recursive && node.entries.size > 0) throw new FileError("ENOTEMPTY", path);
    }
    if (node === this.root) throw new FileError("EINVAL", path);
    parent.entries.delete(name);
    parent.mtime = this.#now();
    this.#take(-weightOf(node), path);
  }

  rename(from: string, to: string): void {
    const source = this.#place(from, false);
    if (source.node === undefined) throw new FileError("ENOENT", from);
    if (source.node.kind === "directory" && `${normal(to)}/`.startsWith(`${normal(from)}/`))
      throw new FileError("EINVAL", to);
    const target = this.#place(to, false);
    if (target.node?.kind === "directory") throw new FileError("EEXIST", to);
    source.parent.entries.delete(source.name);
    if (target.node !== undefined) this.#take(-weightOf(target.node), to);
    target.parent.entries.set(target.name, source.node);
  }

  #directory(mode: number): DirectoryNode {
    return { kind: "directory", entries: new Map(), ...this.#attributes(mode) };
  }

  #attributes(mode: number) {
    return { mode, uid: 0, gid: 0, mtime: this.#now() };
  }

  #now(): number {
    return Math.floor(this.#clock.now() / 1000);
  }

  #link(path: string, node: FileNode): void {
    const { parent, name } = this.#place(path, false);
    this.#put(parent, name, node);
  }

  #put(parent: DirectoryNode, name: string, node: FileNode): void {
    if (!parent.entries.has(name)) this.#take(ENTRY_BYTES, name);
    parent.entries.set(name, node);
    parent.mtime = this.#now();
  }

  #take(bytes: number, path: string): void {
    if (bytes > 0 && this.#used + bytes > this.#capacity) throw new FileError("ENOSPC", path);
    this.#used += bytes;
  }

  /** Where a path's last name is, or would be. With `follow`, the place that a link there leads to. */
  #place(path: string, follow: boolean): Place {
    const { parent, name, node } = this.#walk(path, follow, 0, true);
    return { parent, name, node: node === MISSING ? undefined : node };
  }

  #walk(
    path: string,
    follow: boolean,
    links: number,
    create = false,
  ): { parent: DirectoryNode; name: string; node: FileNode } {
    if (path.length > LONGEST_PATH) throw new FileError("EINVAL", path);
    const names = path.split("/").filter((name) => name !== "" && name !== ".");
    const mustBeDirectory = path.endsWith("/") && !create;
    const stack: { readonly name: string; readonly node: DirectoryNode }[] = [{ name: "", node: this.root }];
    for (const [index, name] of names.entries()) {
      const above = (stack.at(-1) ?? { node: this.root }).node;
      const last = index === names.length - 1;
      if (name === "..") {
        if (stack.length > 1) stack.pop();
        continue;
      }
      const node = above.entries.get(name);
      if (node === undefined) {
        if (last && create) return { parent: above, name, node: MISSING };
        throw new FileError("ENOENT", path);
      }
      if (node.kind === "link" && (!last || follow || mustBeDirectory)) {
        if (links >= MOST_LINKS) throw new FileError("ELOOP", path);
        const here = `/${stack
          .slice(1)
          .map((one) => one.name)
          .join("/")}`;
        const rest = names.slice(index + 1).join("/");
        const target = node.target.startsWith("/") ? node.target : `${here}/${node.target}`;
        return this.#walk(rest === "" ? target : `${target}/${rest}`, follow, links + 1, create);
      }
      if (last) {
        if (mustBeDirectory && node.kind !== "directory") throw new FileError("ENOTDIR", path);
        return { parent: above, name, node };
      }
      if (node.kind !== "directory") throw new FileError("ENOTDIR", path);
      stack.push({ name, node });
    }
    const { name, node } = stack.at(-1) ?? { name: "", node: this.root };
    return { parent: (stack.at(-2) ?? { node: this.root }).node, name, node };
  }
}

export interface RemoveOptions {
  /** An empty directory too. */
  readonly directory?: boolean;
  /** A directory with all that is in it. */
  readonly recursive?: boolean;
  /** What is not there counts as removed. */
  readonly force?: boolean;
}

export interface FileWriter {
  /** Throws ENOSPC when the container's files are too large. */
  write(chunk: Uint8Array): Promise<void>;
}

interface Place {
  readonly parent: DirectoryNode;
  readonly name: string;
  readonly node: FileNode | undefined;
}

const EMPTY = new Uint8Array();
const MISSING: FileNode = { kind: "link", target: "", mode: 0, uid: 0, gid: 0, mtime: 0 };

function weightOf(node: FileNode): number {
  if (node.kind === "file") return ENTRY_BYTES + node.size;
  if (node.kind !== "directory") return ENTRY_BYTES;
  let sum = ENTRY_BYTES;
  for (const entry of node.entries.values()) sum += weightOf(entry);
  return sum;
}

const segmentsOf = (path: string): string[] =>
  normal(path)
    .split("/")
    .filter((name) => name !== "");

const parentOf = (path: string): string => `/${segmentsOf(path).slice(0, -1).join("/")}`;

/** Without "." and "..", and without a slash at its end: "/a/../b/" is "/b". By names alone. */
function normal(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

/** `path` seen from `cwd`. */
export const absolute = (cwd: string, path: string): string => (path.startsWith("/") ? path : `${cwd}/${path}`);

/** The shortest name of `path` as seen from `cwd`. By names alone: links are not followed. */
export const normalPath = (cwd: string, path: string): string => normal(absolute(cwd, path));

import type { Clock } from "../../../base/clock.js";
import { nextSlice, sliceIsSpent } from "../../../base/time-slice.js";
import type { Program } from "../program.js";
import { FileContent } from "./file-content.js";
import { FileError } from "./file-error.js";
import type { DeviceNode, DirectoryNode, FileNode, RegularNode } from "./node.js";

const MOST_LINKS = 40;
/** The longest path, and the longest name in it, in UTF-16 units. */
export const LONGEST_PATH = 4096;
const LONGEST_NAME = 255;
/** How many files, folders and links fit. */
const MOST_ENTRIES = 128 * 1024;

/** What the files of several containers share. */
export interface FileSpace {
  /** False where so many bytes do not fit. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export interface FileSystemOptions {
  readonly clock: Clock;
  /** How many bytes of content fit; more is "No space left on device". Default 128 MiB. */
  readonly capacity?: number;
  readonly space?: FileSpace;
}

const DEFAULT_CAPACITY = 128 * 1024 * 1024;
/** What an entry of a directory counts beside its content, so that names alone cannot fill the memory. */
const ENTRY_BYTES = 512;

/** The files of a container, in memory. Paths are absolute or relative to `cwd`; they are resolved here and lead nowhere else. */
export class FileSystem {
  readonly root: DirectoryNode;
  readonly #capacity: number;
  readonly #clock: Clock;
  readonly #space: FileSpace | undefined;
  #used = 0;
  #entries = 0;

  constructor({ clock, capacity = DEFAULT_CAPACITY, space }: FileSystemOptions) {
    this.#space = space;
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

  /** Reads a file chunk by chunk, from a byte on where it is a regular one. */
  async *read(path: string, from = 0): AsyncGenerator<Uint8Array, void, undefined> {
    const node = this.find(path);
    if (node.kind === "directory") throw new FileError("EISDIR", path);
    const chunks = node.kind === "device" ? node.read() : node.kind === "file" ? node.content.read(from) : [];
    for await (const chunk of chunks) {
      yield chunk;
      // A device's bytes may have no end: a program that reads them must not keep the event loop.
      if (sliceIsSpent()) await nextSlice(undefined, this);
    }
  }

  /** A whole file of at most so many bytes; undefined where it has more. */
  content(path: string, most: number): Buffer | undefined {
    const node = this.find(path);
    if (node.kind === "directory") throw new FileError("EISDIR", path);
    if (node.kind !== "file") return Buffer.alloc(0);
    return node.content.size > most ? undefined : Buffer.concat([...node.content.read()]);
  }

  /** The last bytes of a file. */
  end(path: string, most: number): Buffer {
    const node = this.find(path);
    if (node.kind === "directory") throw new FileError("EISDIR", path);
    if (node.kind !== "file") return Buffer.alloc(0);
    return Buffer.concat([...node.content.read(Math.max(0, node.content.size - most))]);
  }

  /** Opens a file for writing, makes it where there is none, and empties it unless `append`. */
  open(path: string, { append = false, mode = 0o644 }: { append?: boolean; mode?: number } = {}): FileWriter {
    const { parent, name, node: found } = this.#place(path, true);
    if (found?.kind === "directory") throw new FileError("EISDIR", path);
    if (found?.kind === "device") return { write: async (chunk) => found.write(chunk) };
    let file = found?.kind === "file" && found.program === undefined ? found : undefined;
    if (file === undefined || file.isShared === true) {
      // Bytes that are somebody else's are copied before they change.
      const shared = append && file !== undefined ? [...file.content.read()] : [];
      file = { kind: "file", content: new FileContent(), ...this.#attributes(mode) };
      this.#put(parent, name, file);
      for (const chunk of shared) this.#append(file, chunk, path);
    } else if (!append) {
      this.#take(-file.content.size, path);
      file.content = new FileContent();
    }
    const opened = file;
    return {
      write: async (chunk) => {
        this.#append(opened, chunk, path);
        opened.mtime = this.#now();
      },
    };
  }

  /** Writes a whole file and the directories above it. `isShared`: the bytes are somebody else's, and do not count. */
  put(path: string, content: string | Uint8Array, { isShared = false } = {}): void {
    this.makeDirectory(parentOf(path), { recursive: true });
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    this.remove(path, { force: true });
    const file = { content: new FileContent(bytes), ...(isShared && { isShared }), ...this.#attributes(0o644) };
    if (!isShared) this.#take(bytes.length, path);
    this.#link(path, { kind: "file", ...file });
  }

  /** Makes an executable file that runs a program. */
  install(path: string, program: Program): void {
    this.makeDirectory(parentOf(path), { recursive: true });
    this.#link(path, { kind: "file", content: new FileContent(), program, ...this.#attributes(0o755) });
  }

  /** Makes a file whose bytes `device` makes and takes. */
  mount(path: string, device: Pick<DeviceNode, "read" | "write" | "size">): void {
    this.makeDirectory(parentOf(path), { recursive: true });
    this.#link(path, { kind: "device", ...device, ...this.#attributes(device.size === undefined ? 0o666 : 0o644) });
  }

  makeDirectory(path: string, { recursive = false, mode = 0o755 } = {}): void {
    if (recursive) {
      this.#makeDirectories(path, mode);
      return;
    }
    if (this.look(path, { follow: false }) !== undefined) throw new FileError("EEXIST", path);
    this.#link(path, this.#directory(mode));
  }

  /** Makes the folders of a path that are missing. */
  #makeDirectories(path: string, mode: number): void {
    if (path.length > LONGEST_PATH) throw new FileError("ENAMETOOLONG", path);
    const names = segmentsOf(path);
    let folder: FileNode = this.root;
    for (const [index, name] of names.entries()) {
      if (folder.kind !== "directory") throw new FileError("ENOTDIR", path);
      const above: DirectoryNode = folder;
      let node = above.entries.get(name);
      if (node?.kind === "link") node = this.find(`/${names.slice(0, index + 1).join("/")}`);
      if (node === undefined) this.#put(above, name, (node = this.#directory(mode)));
      folder = node;
    }
    if (folder.kind !== "directory") throw new FileError("EEXIST", path);
  }

  symlink(target: string, path: string): void {
    if (target.length >= LONGEST_PATH) throw new FileError("ENAMETOOLONG", path);
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
    this.#drop(node);
  }

  rename(from: string, to: string): void {
    const source = this.#place(from, false);
    if (source.node === undefined) throw new FileError("ENOENT", from);
    if (source.node.kind === "directory" && `${normal(to)}/`.startsWith(`${normal(from)}/`))
      throw new FileError("EINVAL", to);
    const target = this.#place(to, false);
    if (target.node?.kind === "directory") throw new FileError("EEXIST", to);
    if (target.name.length > LONGEST_NAME) throw new FileError("ENAMETOOLONG", to);
    if (target.node === source.node) return;
    source.parent.entries.delete(source.name);
    if (target.node !== undefined) this.#drop(target.node);
    target.parent.entries.set(target.name, source.node);
  }

  #append(file: RegularNode, chunk: Uint8Array, path: string): void {
    this.#take(chunk.length, path);
    file.content.append(chunk);
  }

  /** Gives back what a file takes, or a folder with all that is in it. */
  #drop(dropped: FileNode): void {
    const waiting: FileNode[] = [dropped];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const size = node.kind === "file" && node.isShared !== true ? node.content.size : 0;
      this.#take(-ENTRY_BYTES - size, "");
      this.#entries -= 1;
      if (node.kind === "directory") for (const entry of node.entries.values()) waiting.push(entry);
    }
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
    if (name.length > LONGEST_NAME) throw new FileError("ENAMETOOLONG", name);
    const before = parent.entries.get(name);
    if (before === undefined && this.#entries >= MOST_ENTRIES) throw new FileError("ENOSPC", name);
    if (before !== undefined) this.#drop(before);
    this.#take(ENTRY_BYTES, name);
    this.#entries += 1;
    parent.entries.set(name, node);
    parent.mtime = this.#now();
  }

  #take(bytes: number, path: string): void {
    if (bytes > 0) {
      if (this.#used + bytes > this.#capacity) throw new FileError("ENOSPC", path);
      if (this.#space?.take(bytes) === false) throw new FileError("ENOSPC", path);
    } else this.#space?.give(-bytes);
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
    if (path.length > LONGEST_PATH) throw new FileError("ENAMETOOLONG", path);
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

const MISSING: FileNode = { kind: "link", target: "", mode: 0, uid: 0, gid: 0, mtime: 0 };

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

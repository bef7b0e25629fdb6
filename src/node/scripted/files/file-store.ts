import type { Clock } from "../../../base/time/clock.js";
import { FileContent, type DirectoryNode, type FileNode, type RegularNode } from "./node.js";
import { FileError } from "./file-error.js";

/** The longest name in a path, in UTF-16 units. */
export const LONGEST_NAME = 255;
/** How many files, folders and links fit. */
const MOST_ENTRIES = 128 * 1024;
const DEFAULT_CAPACITY = 128 * 1024 * 1024;
/** What an entry of a directory counts beside its content, so that names alone cannot fill the memory. */
const ENTRY_BYTES = 512;

/** A limit of bytes that several stores share. */
export interface FileSpace {
  /** False where so many bytes do not fit. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export interface FileStoreOptions {
  readonly clock: Clock;
  /** How many bytes of content fit; more is "No space left on device". Default 128 MiB. */
  readonly capacity?: number;
  readonly space?: FileSpace;
}

/** A tree of files whose bytes are counted together: a container's own, or those of a volume. File systems mount it at paths. */
export class FileStore {
  readonly root: DirectoryNode;
  /** A volume may grow. Bytes. */
  capacity: number;
  readonly #clock: Clock;
  readonly #space: FileSpace | undefined;
  #used = 0;
  #entries = 0;

  constructor({ clock, capacity = DEFAULT_CAPACITY, space }: FileStoreOptions) {
    this.#clock = clock;
    this.#space = space;
    this.capacity = capacity;
    this.root = this.directory(0o755);
  }

  /** Bytes of content and of entries. */
  get used(): number {
    return this.#used;
  }

  directory(mode: number): DirectoryNode {
    return { kind: "directory", entries: new Map(), ...this.attributes(mode) };
  }

  attributes(mode: number) {
    return { mode, uid: 0, gid: 0, mtime: this.now() };
  }

  /** Seconds since the epoch. */
  now(): number {
    return Math.floor(this.#clock.now() / 1000);
  }

  /** Puts a node into a folder of the store, in the place of one that has the name. */
  put(parent: DirectoryNode, name: string, node: FileNode): void {
    if (name.length > LONGEST_NAME) throw new FileError("ENAMETOOLONG", name);
    if (parent.isGone === true) throw new FileError("ENOENT", name);
    const before = parent.entries.get(name);
    if (before === undefined && this.#entries >= MOST_ENTRIES) throw new FileError("ENOSPC", name);
    if (before !== undefined) this.drop(before);
    this.take(ENTRY_BYTES, name);
    this.#entries += 1;
    parent.entries.set(name, node);
    parent.mtime = this.now();
  }

  unlink(parent: DirectoryNode, name: string, node: FileNode): void {
    parent.entries.delete(name);
    parent.mtime = this.now();
    this.drop(node);
  }

  empty(file: RegularNode, path: string): void {
    this.take(-file.content.size, path);
    file.content = new FileContent();
  }

  /** Gives back what a file takes, or a folder with all that is in it. */
  drop(dropped: FileNode): void {
    const waiting: FileNode[] = [dropped];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const size = node.kind === "file" && node.isShared !== true ? node.content.size : 0;
      this.take(-ENTRY_BYTES - size, "");
      this.#entries -= 1;
      if (node.kind === "file" || node.kind === "directory") node.isGone = true;
      if (node.kind === "directory") for (const entry of node.entries.values()) waiting.push(entry);
    }
  }

  /** Bytes of content; fewer than none gives them back. Throws ENOSPC. */
  take(bytes: number, path: string): void {
    if (bytes > 0) {
      if (this.#used + bytes > this.capacity) throw new FileError("ENOSPC", path);
      if (this.#space?.take(bytes) === false) throw new FileError("ENOSPC", path);
    } else this.#space?.give(-bytes);
    this.#used += bytes;
  }

  /** Drops all files, for good: nothing more can be put in. */
  close(): void {
    for (const entry of this.root.entries.values()) this.drop(entry);
    this.root.entries.clear();
    this.root.isGone = true;
  }
}

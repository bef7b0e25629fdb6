import { nextSlice, sliceIsSpent } from "../../../base/async/time-slice.js";
import type { Program } from "../program.js";
import { FileContent, type DeviceNode, type DirectoryNode, type FileNode } from "./node.js";
import { FileError } from "./file-error.js";
import { FileStore, type FileStoreOptions, LONGEST_NAME } from "./file-store.js";

const MOST_LINKS = 40;
/** The longest path, in UTF-16 units. */
export const LONGEST_PATH = 4096;

/** A tree of files that is mounted at a path of a file system. */
export interface MountedTree {
  readonly store: FileStore;
  /** A folder of the store, or a file. */
  readonly root: FileNode;
  readonly readOnly: boolean;
}

interface Mount extends MountedTree {
  /** What is seen in place of its files and folders. */
  readonly covered: Map<FileNode, Mount>;
}

/**
 * The files of a container, in memory: its own, and the volumes that are mounted on them. Paths are absolute or relative to `cwd`; they are
 * resolved here and lead nowhere else. A node may be in the file systems of several containers; what is mounted on it is not.
 */
export class FileSystem {
  readonly root: DirectoryNode;
  readonly #own: FileStore;
  readonly #top: Mount;

  /** Shows a store, or a new one with these options; of a store the folder `root` where it is given. */
  constructor(options: FileStoreOptions | { readonly store: FileStore; readonly root?: DirectoryNode }) {
    this.#own = "store" in options ? options.store : new FileStore(options);
    this.root = ("store" in options ? options.root : undefined) ?? this.#own.root;
    this.#top = { store: this.#own, root: this.root, readOnly: false, covered: new Map() };
  }

  /** Where the file system's own files are counted: all that lie in no mounted tree. */
  get store(): FileStore {
    return this.#own;
  }

  /** Bytes of its own files. */
  get used(): number {
    return this.#own.used;
  }

  /** Throws ENOENT, ENOTDIR or ELOOP. */
  find(path: string, { follow = true }: { readonly follow?: boolean } = {}): FileNode {
    return this.#walk(path, follow, 0).node;
  }

  /** As {@link find}, for a node whose attributes are to be changed. Throws EROFS. */
  findToChange(path: string, { follow = true }: { readonly follow?: boolean } = {}): FileNode {
    const { node, mount } = this.#walk(path, follow, 0);
    requireWritable(mount, path);
    return node;
  }

  /** What a folder that {@link find} has answered for a path holds, with what is mounted in it. */
  entriesAt(path: string, folder: DirectoryNode): ReadonlyMap<string, FileNode> {
    if (this.#top.covered.size === 0) return folder.entries;
    const mount = this.#mountAt(path);
    if (mount === undefined || mount.covered.size === 0) return folder.entries;
    let seen: Map<string, FileNode> | undefined;
    for (const [name, entry] of folder.entries) {
      const over = mountedOn(entry, mount);
      if (over !== undefined) (seen ??= new Map(folder.entries)).set(name, over.root);
    }
    return seen ?? folder.entries;
  }

  /** Undefined where there is nothing, or with `toWrite` where it lies in a tree that is read-only. */
  look(path: string, { follow = true, toWrite = false }: LookOptions = {}): FileNode | undefined {
    try {
      return toWrite ? this.findToChange(path, { follow }) : this.find(path, { follow });
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

  /** As {@link content}, of a device too. */
  async whole(path: string, most: number): Promise<Buffer | undefined> {
    if (this.find(path).kind !== "device") return this.content(path, most);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of this.read(path)) {
      if ((size += chunk.length) > most) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
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
    const { parent, name, node: found, mount, isMounted } = this.#place(path, true);
    if (found?.kind === "directory") throw new FileError("EISDIR", path);
    if (found?.kind === "device") return { write: async (chunk) => found.write(chunk) };
    requireWritable(mount, path);
    const { store } = mount;
    let file = found?.kind === "file" && found.program === undefined ? found : undefined;
    if (file === undefined) {
      if (isMounted) throw new FileError("EBUSY", path);
      file = { kind: "file", content: new FileContent(), ...store.attributes(mode) };
      store.put(parent, name, file);
    } else if (!append) store.empty(file, path);
    const opened = file;
    return {
      write: async (chunk) => {
        // What goes on being written to a removed file is the container's, until it ends.
        (opened.isGone === true ? this.#own : store).take(chunk.length, path);
        opened.content.append(chunk);
        opened.mtime = store.now();
      },
    };
  }

  /** Writes a whole file and the directories above it. `isShared`: the bytes do not count. */
  put(path: string, content: string | Uint8Array, { isShared = false, mode = 0o644 } = {}): void {
    this.makeDirectory(parentOf(path), { recursive: true });
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    this.remove(path, { force: true });
    const { store } = this.#place(path, false).mount;
    const file = { content: new FileContent(bytes), ...(isShared && { isShared }), ...store.attributes(mode) };
    if (!isShared) store.take(bytes.length, path);
    this.#link(path, { kind: "file", ...file });
  }

  /** Makes an executable file that runs a program. */
  install(path: string, program: Program): void {
    this.makeDirectory(parentOf(path), { recursive: true });
    this.#link(path, { kind: "file", content: new FileContent(), program, ...this.#own.attributes(0o755) });
  }

  /** Makes a file whose bytes `device` makes and takes. */
  mount(path: string, device: Pick<DeviceNode, "read" | "write" | "size">): void {
    this.makeDirectory(parentOf(path), { recursive: true });
    const attributes = this.#own.attributes(device.size === undefined ? 0o666 : 0o644);
    this.#link(path, { kind: "device", ...device, ...attributes });
  }

  /**
   * Shows a tree at a path, over what is there. A mount point that is missing is made, in a tree that is read-only too. Throws ENOTDIR
   * where one of tree and mount point is a folder and the other a file.
   */
  bind(path: string, tree: MountedTree): void {
    const name = segmentsOf(path).at(-1);
    if (name === undefined) throw new FileError("EINVAL", path);
    const isFolder = tree.root.kind === "directory";
    const above = this.#makeDirectories(parentOf(path), 0o755, true);
    if (!above.folder.entries.has(name)) {
      const { store } = above.mount;
      const file: FileNode = { kind: "file", content: new FileContent(), ...store.attributes(0o644) };
      store.put(above.folder, name, isFolder ? store.directory(0o755) : file);
    }
    const { mount, node } = this.#walk(path, true, 0);
    if ((node.kind === "directory") !== isFolder) throw new FileError("ENOTDIR", path);
    mount.covered.set(node, { ...tree, covered: new Map() });
  }

  makeDirectory(path: string, { recursive = false, mode = 0o755 } = {}): void {
    if (recursive) {
      this.#makeDirectories(path, mode, false);
      return;
    }
    if (this.look(path, { follow: false }) !== undefined) throw new FileError("EEXIST", path);
    this.#link(path, this.#own.directory(mode));
  }

  /** Makes the folders of a path that are missing; with `isForced` in read-only trees too. */
  #makeDirectories(path: string, mode: number, isForced: boolean): { folder: DirectoryNode; mount: Mount } {
    if (path.length > LONGEST_PATH) throw new FileError("ENAMETOOLONG", path);
    const names = segmentsOf(path);
    let folder: FileNode = this.root;
    let mount = this.#top;
    for (const [index, name] of names.entries()) {
      if (folder.kind !== "directory") throw new FileError("ENOTDIR", path);
      const above: DirectoryNode = folder;
      const node = above.entries.get(name);
      if (node === undefined) {
        if (!isForced) requireWritable(mount, path);
        mount.store.put(above, name, (folder = mount.store.directory(mode)));
      } else if (node.kind === "link") {
        ({ node: folder, mount } = this.#walk(`/${names.slice(0, index + 1).join("/")}`, true, 0));
      } else {
        const over = mountedOn(node, mount);
        folder = over === undefined ? node : over.root;
        mount = over ?? mount;
      }
    }
    if (folder.kind !== "directory") throw new FileError("EEXIST", path);
    return { folder, mount };
  }

  symlink(target: string, path: string): void {
    if (target.length >= LONGEST_PATH) throw new FileError("ENAMETOOLONG", path);
    if (this.look(path, { follow: false }) !== undefined) throw new FileError("EEXIST", path);
    this.#link(path, { kind: "link", target, ...this.#own.attributes(0o777) });
  }

  /** Removes a file, or what `options` allow. Throws EBUSY for a mount point, and for a folder with one, when all else in it is removed. */
  remove(path: string, { recursive = false, force = false, directory = false }: RemoveOptions = {}): void {
    let place: Place;
    try {
      place = this.#place(path, false);
    } catch (error) {
      if (force && error instanceof FileError) return;
      throw error;
    }
    const { parent, name, node, mount, isMounted } = place;
    if (node === undefined) {
      if (force) return;
      throw new FileError("ENOENT", path);
    }
    if (node.kind === "directory" && !directory && !recursive) throw new FileError("EISDIR", path);
    if (node === this.root) throw new FileError("EINVAL", path);
    if (isMounted && !recursive) throw new FileError("EBUSY", path);
    requireWritable(mount, path);
    if (node.kind === "directory") {
      if (!recursive && node.entries.size > 0) throw new FileError("ENOTEMPTY", path);
      const kept = foldersWithMounts(node, mount);
      if (isMounted || kept.size > 0) {
        clear(node, mount, kept);
        throw new FileError("EBUSY", path);
      }
    }
    if (isMounted) throw new FileError("EBUSY", path);
    mount.store.unlink(parent, name, node);
  }

  /** Throws EXDEV where the two paths lie in different mounted trees, though these show the same store. */
  rename(from: string, to: string): void {
    const source = this.#place(from, false);
    if (source.node === undefined) throw new FileError("ENOENT", from);
    if (source.node.kind === "directory" && `${normal(to)}/`.startsWith(`${normal(from)}/`))
      throw new FileError("EINVAL", to);
    const target = this.#place(to, false);
    if (source.isMounted || target.isMounted) throw new FileError("EBUSY", source.isMounted ? from : to);
    if (source.mount !== target.mount) throw new FileError("EXDEV", to);
    requireWritable(source.mount, from);
    if (target.node?.kind === "directory") throw new FileError("EEXIST", to);
    if (target.name.length > LONGEST_NAME) throw new FileError("ENAMETOOLONG", to);
    if (target.parent.isGone === true) throw new FileError("ENOENT", to);
    if (target.node === source.node) return;
    source.parent.entries.delete(source.name);
    if (target.node !== undefined) source.mount.store.drop(target.node);
    target.parent.entries.set(target.name, source.node);
  }

  #link(path: string, node: FileNode): void {
    const { parent, name, mount } = this.#place(path, false);
    requireWritable(mount, path);
    mount.store.put(parent, name, node);
  }

  /** The mounted tree that a path leads into; undefined where it leads nowhere. */
  #mountAt(path: string): Mount | undefined {
    try {
      return this.#walk(path, true, 0).mount;
    } catch (error) {
      if (error instanceof FileError) return undefined;
      throw error;
    }
  }

  /** Where a path's last name is, or would be. With `follow`, the place that a link there leads to. */
  #place(path: string, follow: boolean): Place {
    const { node, ...place } = this.#walk(path, follow, 0, true);
    return { ...place, node: node === MISSING ? undefined : node };
  }

  #walk(path: string, follow: boolean, links: number, create = false): Found {
    if (path.length > LONGEST_PATH) throw new FileError("ENAMETOOLONG", path);
    const names = path.split("/").filter((name) => name !== "" && name !== ".");
    const mustBeDirectory = path.endsWith("/") && !create;
    const top: Step = { name: "", node: this.root, mount: this.#top };
    const stack: Step[] = [top];
    for (const [index, name] of names.entries()) {
      const above = stack.at(-1) ?? top;
      const last = index === names.length - 1;
      if (name === "..") {
        if (stack.length > 1) stack.pop();
        continue;
      }
      const entry = above.node.entries.get(name);
      if (entry === undefined) {
        if (last && create) return { parent: above.node, name, node: MISSING, mount: above.mount, isMounted: false };
        throw new FileError("ENOENT", path);
      }
      const over = mountedOn(entry, above.mount);
      const node = over === undefined ? entry : over.root;
      const mount = over ?? above.mount;
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
        return { parent: above.node, name, node, mount, isMounted: mount !== above.mount };
      }
      if (node.kind !== "directory") throw new FileError("ENOTDIR", path);
      stack.push({ name, node, mount });
    }
    const { name, node, mount } = stack.at(-1) ?? top;
    const above = stack.at(-2) ?? top;
    return { parent: above.node, name, node, mount, isMounted: mount !== above.mount };
  }
}

/** The tree that is mounted on an entry of another tree; undefined where the entry itself is seen. */
function mountedOn(entry: FileNode, { covered }: Mount): Mount | undefined {
  let found: Mount | undefined;
  for (let over = covered.get(entry); over !== undefined; over = over.covered.get(over.root)) found = over;
  return found;
}

function requireWritable({ readOnly }: Mount, path: string): void {
  if (readOnly) throw new FileError("EROFS", path);
}

/** The folder of a tree, and those in it, in which something is mounted, however deep. */
function foldersWithMounts(folder: DirectoryNode, { covered }: Mount): ReadonlySet<DirectoryNode> {
  const found = new Set<DirectoryNode>();
  if (covered.size === 0) return found;
  const above = new Map<DirectoryNode, DirectoryNode>();
  const waiting = [folder];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const entry of node.entries.values()) {
      if (covered.has(entry))
        for (let one: DirectoryNode | undefined = node; one !== undefined && !found.has(one); one = above.get(one))
          found.add(one);
      else if (entry.kind === "directory") {
        above.set(entry, node);
        waiting.push(entry);
      }
    }
  }
  return found;
}

/** Removes all that is in a folder but mount points and the folders above them, `kept`; in what is mounted there too, where it is writable. */
function clear(folder: DirectoryNode, tree: Mount, kept: ReadonlySet<DirectoryNode>): void {
  for (const [name, entry] of folder.entries) {
    const over = mountedOn(entry, tree);
    if (over?.root.kind === "directory") {
      if (!over.readOnly) clear(over.root, over, foldersWithMounts(over.root, over));
    } else if (entry.kind === "directory" && kept.has(entry)) clear(entry, tree, kept);
    else if (over === undefined) tree.store.unlink(folder, name, entry);
  }
}

interface LookOptions {
  readonly follow?: boolean;
  readonly toWrite?: boolean;
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
  /** The tree that it lies in, or would. */
  readonly mount: Mount;
  /** It is what is mounted at the path, and no entry of `parent`. */
  readonly isMounted: boolean;
}

type Found = Place & { readonly node: FileNode };

interface Step {
  readonly name: string;
  readonly node: DirectoryNode;
  readonly mount: Mount;
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

/** Makes `path` absolute, relative to `cwd`. */
export const absolute = (cwd: string, path: string): string => (path.startsWith("/") ? path : `${cwd}/${path}`);

/** Normalizes `path` relative to `cwd`, by names alone: links are not followed. */
export const normalPath = (cwd: string, path: string): string => normal(absolute(cwd, path));

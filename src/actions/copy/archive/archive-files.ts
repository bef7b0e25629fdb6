import { type Stats, readFileSync } from "node:fs";
import { open, readlink } from "node:fs/promises";
import { resolve } from "node:path";
import { paddingOf, TarError, type TarHeader } from "../../../machinery/wire/tar/tar-entry.js";
import { tarEnd, tarHeaderBlocks } from "../../../machinery/wire/tar/write-header.js";
import { inSystem, type LocalFile, localFiles, textOfLink, PIECE, readPieces } from "./local-files.js";

export interface ArchiveOptions {
  /** What the file or folder is called in the archive. */
  readonly name: string;
  readonly cwd: string;
  /** Called for a device or a FIFO, which an archive of kubectl's never ends with. */
  readonly onSkipped: (path: string) => void;
  /** Called for each piece that is read: the file, how much of it is read, and its size. */
  readonly onProgress?: ((path: string, read: number, size: number) => void) | undefined;
}

/**
 * Makes a tar archive of a file, or of a folder with its content, as the reader consumes it. As in kubectl's archives, only empty
 * folders have entries of their own, links are kept as links, and files are in the order of their names. Throws a PathError for a
 * file that cannot be read, and a TarError for a socket and for a file that becomes shorter while it is read.
 */
export async function* archiveFiles(path: string, options: ArchiveOptions): AsyncGenerator<Uint8Array, void> {
  yield* gathered(blocks(path, { ...options, accounts: accountNames() }), PIECE);
}

async function* blocks(path: string, walk: Walk): AsyncGenerator<Uint8Array, void> {
  for await (const file of localFiles(path, walk.name, walk.cwd)) yield* blocksOf(file, walk);
  yield tarEnd();
}

interface Walk extends ArchiveOptions {
  readonly accounts: ReturnType<typeof accountNames>;
}

async function* blocksOf({ path, name, type, found }: LocalFile, walk: Walk): AsyncGenerator<Uint8Array, void> {
  if (type === "directory") {
    yield tarHeaderBlocks(header(name, type, found, walk));
  } else if (type === "symlink") {
    const linked = await inSystem("readlink", path, readlink(resolve(walk.cwd, path), { encoding: "buffer" }));
    const linkName = textOfLink(linked, path);
    yield tarHeaderBlocks({ ...header(name, type, found, walk), linkName });
  } else if (type === "file") {
    yield tarHeaderBlocks(header(name, type, found, walk));
    yield* content(path, found.size, walk);
    const padding = paddingOf(found.size);
    if (padding > 0) yield new Uint8Array(padding);
  } else if (found.isSocket()) {
    throw new TarError("archive/tar: sockets not supported");
  } else {
    walk.onSkipped(path);
  }
}

function header(name: string, type: "file" | "directory" | "symlink", found: Stats, { accounts }: Walk): TarHeader {
  return {
    name,
    type,
    size: type === "file" ? found.size : 0,
    mode: found.mode & 0o7777,
    uid: found.uid,
    gid: found.gid,
    userName: accounts.user(found.uid),
    groupName: accounts.group(found.gid),
    modified: found.mtimeMs / 1000,
    linkName: "",
  };
}

/** As many bytes as the header has promised: what a log gains meanwhile is left out. */
async function* content(path: string, size: number, walk: Walk): AsyncGenerator<Uint8Array, void> {
  const file = await inSystem("open", path, open(resolve(walk.cwd, path), "r"));
  let read = 0;
  try {
    for await (const piece of readPieces(file, { path, to: size })) {
      read += piece.length;
      yield piece;
      walk.onProgress?.(path, read, size);
    }
    if (read < size) throw new TarError(`archive/tar: missed writing ${size - read} bytes`);
  } finally {
    await file.close();
  }
}

/** The names of users and groups that archives carry beside their numbers. */
export interface AccountNames {
  user(uid: number): string;
  group(gid: number): string;
}

/** What /etc/passwd and /etc/group say, each read on first use; "" for a number that they do not have, and where there is no such file. */
function accountNames(): AccountNames {
  const [users, groups] = ["/etc/passwd", "/etc/group"].map((file) => {
    let names: ReadonlyMap<number, string> | undefined;
    return (id: number): string => (names ??= namesIn(file)).get(id) ?? "";
  }) as [(id: number) => string, (id: number) => string];
  return { user: users, group: groups };
}

function namesIn(file: string): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const line of textOf(file).split("\n")) {
    const [name = "", , id = ""] = line.split(":");
    // The first line of a number counts.
    if (/^\d+$/.test(id) && !names.has(Number(id))) names.set(Number(id), name);
  }
  return names;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The same bytes, the small chunks put together into such of `size` bytes or a little more: each chunk costs its receiver a message. */
async function* gathered(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array, void> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    length += chunk.length;
    if (length < size) continue;
    yield held.length === 1 ? chunk : Buffer.concat(held);
    held = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(held);
}

import type { CommandFiles, FileStatus } from "../../../../base/files/command-files.js";
import { FileError } from "../../files/file-error.js";
import type { FileNode } from "../../files/node.js";
import type { ProgramIo } from "../../program.js";
import { canonicalPath } from "../paths.js";

/** A file that a command reads has no more bytes. */
const LONGEST_FILE = 16 * 1024 * 1024;

/** Names of a program's own input. */
const STDIN = new Set(["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);

/** The paths of process substitutions. */
const PROCESS_PATH = /\/dev\/fd\/\d+$/;

/**
 * The files of a program's container, for a kubectl command line. Input that commands provide as paths in arguments is read to its
 * end before, up to the limit of a file.
 */
export async function containerFiles(io: ProgramIo): Promise<CommandFiles> {
  const { files } = io;
  const written = new Map<string, Buffer>();
  for (const argument of io.args) {
    const path = PROCESS_PATH.exec(argument)?.[0];
    if (path === undefined || files.look(path)?.kind !== "device") continue;
    written.set(path, await collected(files.read(path), path));
  }
  const folderAt = (path: string): ReadonlyMap<string, FileNode> => {
    const node = files.find(path);
    if (node.kind !== "directory") throw new FileError("ENOTDIR", path);
    return files.entriesAt(path, node);
  };
  const own: Omit<CommandFiles, "stat" | "lstat" | "readdir"> = {
    readFile: async (path) =>
      written.get(path) ?? (await collected(STDIN.has(path) ? io.stdin : files.read(path), path)),
    readFileSync: (path) => {
      const bytes = written.get(path);
      if (bytes !== undefined) return bytes;
      const node = files.find(path);
      if (node.kind === "device") return deviceBytes(node.read(), path);
      const content = files.content(path, LONGEST_FILE);
      if (content === undefined) throw new FileError("EFBIG", path);
      return content;
    },
    existsSync: (path) => files.look(path) !== undefined,
    requireReadable: (path) => void files.find(path),
    statSync: (path) => (STDIN.has(path) ? PIPE : statusOf(files.find(path))),
    lstatSync: (path) => (STDIN.has(path) ? PIPE : statusOf(files.find(path, { follow: false }))),
    readdirSync: (path) => [...folderAt(path).keys()],
    realpath: async (path) => canonicalPath(io, path, "none"),
    writeFileSync: (path, content, { isNew = false, mode = 0o666 } = {}) => {
      const place = files.look(path) === undefined ? path : canonicalPath(io, path, "none");
      folderAt(place.slice(0, place.lastIndexOf("/")) || "/");
      const found = files.look(place, { follow: false });
      if (found !== undefined && isNew) throw new FileError("EEXIST", path);
      if (found?.kind === "directory") throw new FileError("EISDIR", path);
      if (found?.kind === "device") throw new FileError("EINVAL", path);
      files.put(place, content, { mode: found?.mode ?? mode & ~UMASK });
    },
    mkdirSync: (path, { recursive = false, mode = 0o777 } = {}) =>
      files.makeDirectory(path, { recursive, mode: mode & ~UMASK }),
    removeSync: (path) => files.remove(path, { recursive: true, force: true }),
  };
  return {
    ...own,
    stat: async (path) => own.statSync(path),
    lstat: async (path) => own.lstatSync(path),
    readdir: async (path) => own.readdirSync(path),
  };
}

const UMASK = 0o022;

const PIPE: FileStatus = { isFile: () => false, isDirectory: () => false };

const statusOf = (node: FileNode): FileStatus => ({
  isFile: () => node.kind === "file" || (node.kind === "device" && node.size !== undefined),
  isDirectory: () => node.kind === "directory",
});

async function collected(chunks: AsyncIterable<Uint8Array>, path: string): Promise<Buffer> {
  const bytes = new Collected(path);
  for await (const chunk of chunks) bytes.add(chunk);
  return bytes.whole();
}

function deviceBytes(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, path: string): Buffer {
  if (!(Symbol.iterator in chunks)) throw new FileError("EINVAL", path);
  const bytes = new Collected(path);
  for (const chunk of chunks) bytes.add(chunk);
  return bytes.whole();
}

/** The bytes of a file that is read in chunks. Throws EFBIG where there are too many: a device's have no end. */
class Collected {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(private readonly path: string) {}

  add(chunk: Uint8Array): void {
    this.#length += chunk.length;
    if (this.#length > LONGEST_FILE) throw new FileError("EFBIG", this.path);
    this.#chunks.push(chunk);
  }

  whole(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

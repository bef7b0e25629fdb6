import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";

/** What is at a path. */
export interface FileStatus {
  isFile(): boolean;
  isDirectory(): boolean;
}

/**
 * The files that the paths of a command line refer to: this machine's, or those of the container that the command runs in. Paths
 * are absolute. A failure throws, or rejects with, an error with Node's `code`: "ENOENT".
 */
export interface CommandFiles {
  readFile(path: string): Promise<Buffer>;
  readFileSync(path: string): Buffer;
  /** Whether there is a file or a folder; a link that leads nowhere is none. */
  existsSync(path: string): boolean;
  /** Throws where {@link readFile} would; a folder counts as readable. */
  requireReadable(path: string): void;
  stat(path: string): Promise<FileStatus>;
  statSync(path: string): FileStatus;
  lstat(path: string): Promise<FileStatus>;
  lstatSync(path: string): FileStatus;
  readdir(path: string): Promise<string[]>;
  readdirSync(path: string): string[];
  /** The path without symbolic links. */
  realpath(path: string): Promise<string>;
  /** Writes a whole file. Where `isNew`, there must be none yet. `mode` is that of a new file. */
  writeFileSync(path: string, content: string | Uint8Array, options?: WriteOptions): void;
  mkdirSync(path: string, options?: { readonly recursive?: boolean; readonly mode?: number }): void;
  /** Removes a file, or a folder with all that is in it. What is not there counts as removed. */
  removeSync(path: string): void;
}

export interface WriteOptions {
  readonly mode?: number;
  readonly isNew?: boolean;
}

/** Few commands read files in turns. */
const promises = (): Promise<typeof import("node:fs/promises")> => import("node:fs/promises");

/** The files of this machine. */
export const machineFiles: CommandFiles = {
  readFile: async (path) => (await promises()).readFile(path),
  readFileSync: (path) => readFileSync(path),
  existsSync: (path) => existsSync(path),
  requireReadable: (path) => closeSync(openSync(path, "r")),
  stat: async (path) => (await promises()).stat(path),
  statSync: (path) => statSync(path),
  lstat: async (path) => (await promises()).lstat(path),
  lstatSync: (path) => lstatSync(path),
  readdir: async (path) => (await promises()).readdir(path),
  readdirSync: (path) => readdirSync(path),
  realpath: async (path) => (await promises()).realpath(path),
  writeFileSync: (path, content, { isNew = false, mode = 0o666 } = {}) =>
    writeFileSync(path, content, { mode, flag: isNew ? "wx" : "w" }),
  mkdirSync: (path, options) => void mkdirSync(path, options),
  removeSync: (path) => rmSync(path, { recursive: true, force: true }),
};

import { posix, win32, type PlatformPath } from "node:path";
import { type CommandFiles, machineFiles } from "../base/files/command-files.js";
import { errorMessage } from "../base/text/error-message.js";
import { goQuote } from "../base/text/go-quote.js";
import { compareKeys } from "../base/collections/key-order.js";
import { errorCode, PathError } from "../base/files/path-error.js";
import { type ValidateDocument, documents } from "./document-source.js";
import { BadPatternError, glob } from "./glob.js";
import type { InfoMaker } from "./info-maker.js";
import type { Visitor } from "./visitor.js";

export const FILE_EXTENSIONS: readonly string[] = [".json", ".yaml", ".yml"];

/** The folder at which relative paths begin, the platform whose paths they are, and the files. */
export interface FileScope {
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  /** Default: this machine's. */
  readonly files?: CommandFiles;
}

const pathsOf = (scope: FileScope): PlatformPath => (scope.platform === "win32" ? win32 : posix);

const filesOf = ({ files = machineFiles }: FileScope): CommandFiles => files;

const toFile =
  (scope: FileScope) =>
  (name: string): string =>
    pathsOf(scope).resolve(scope.cwd, name);

/** Expands a -f argument: the path itself if it exists, else the files that match it as a pattern. Throws when none does. */
export async function expandPattern(pattern: string, scope: FileScope): Promise<readonly string[]> {
  const missing = await filesOf(scope)
    .stat(toFile(scope)(pattern))
    .then(
      () => false,
      (error: unknown) => errorCode(error) === "ENOENT",
    );
  if (!missing) return [pattern];
  let matches: readonly string[];
  try {
    matches = await glob(pattern, pathsOf(scope), toFile(scope), filesOf(scope));
  } catch (error) {
    if (!(error instanceof BadPatternError)) throw error;
    throw new Error(`pattern ${goQuote(pattern)} is not valid: ${error.message}`, { cause: error });
  }
  if (matches.length === 0) throw noSuchPath(pattern, { code: "ENOENT" });
  return matches;
}

const noSuchPath = (path: string, cause: unknown): Error =>
  new Error(`the path ${goQuote(path)} does not exist`, { cause: new PathError("stat", path, cause) });

/**
 * The manifests at a path: the file itself whatever its name, or a directory's files of a known extension, with
 * `recursive` those of its subdirectories too, in byte order of their names. Links to directories are not followed.
 */
export async function manifestsAt(root: string, recursive: boolean, scope: FileScope): Promise<readonly string[]> {
  await filesOf(scope)
    .stat(withSlash(root, toFile(scope)(root)))
    .catch((error: unknown) => {
      if (errorCode(error) === "ENOENT") throw noSuchPath(root, error);
      const text = new PathError("stat", root, error).message;
      throw new Error(`the path ${goQuote(root)} cannot be accessed: ${text}`, { cause: error });
    });
  const found: string[] = [];
  await walk(root, true, recursive, scope, found).catch((error: unknown) => {
    throw new Error(`error reading ${goQuote(root)}: ${errorMessage(error)}`);
  });
  return found;
}

/** A slash at the end says that it must be a directory; resolving takes it off. */
const withSlash = (given: string, file: string): string => (given.endsWith("/") ? `${file}/` : file);

async function walk(at: string, isRoot: boolean, recursive: boolean, scope: FileScope, found: string[]): Promise<void> {
  const file = toFile(scope)(at);
  const status = await filesOf(scope)
    .lstat(withSlash(at, file))
    .catch((error: unknown) => {
      throw new PathError("lstat", at, error);
    });
  const path = pathsOf(scope);
  if (!status.isDirectory()) {
    if (isRoot || FILE_EXTENSIONS.includes(path.extname(at))) found.push(at);
    return;
  }
  if (!isRoot && !recursive) return;
  const names = await filesOf(scope)
    .readdir(file)
    .catch((error: unknown) => {
      throw new PathError("open", at, error);
    });
  for (const name of names.sort(compareKeys)) await walk(path.join(at, name), false, recursive, scope, found);
}

/** The source for one manifest file, which opens the file when it is visited. */
export function fileSource(name: string, scope: FileScope, maker: InfoMaker, validate?: ValidateDocument): Visitor {
  const read = (): Promise<Uint8Array> =>
    filesOf(scope)
      .readFile(toFile(scope)(name))
      .catch((error: unknown) => {
        throw new PathError(errorCode(error) === "EISDIR" ? "read" : "open", name, error);
      });
  return documents(name, read, maker, validate);
}

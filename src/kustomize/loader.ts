import { posix, win32 } from "node:path";
import { errnoText, errorCode } from "../base/files/path-error.js";
import { goQuote } from "../base/text/go-quote.js";
import { textOf } from "../base/text/byte-text.js";
import { wrap } from "./field-spec.js";

/** The file system a build reads. Errors are Node's. */
export interface BuildFiles {
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readFile(path: string): Promise<Uint8Array>;
  /** The path without symbolic links. */
  realpath(path: string): Promise<string>;
  isDirectory(path: string): Promise<boolean>;
}

/** Requests a URL for a build, and returns the answer of the web server. */
export interface BuildFetch {
  (url: string): Promise<{ readonly status: number; readonly statusText: string; bytes(): Promise<Uint8Array> }>;
}

/** A web server answered that the file does not exist; the loader tries nothing else then. */
export class HttpFailure extends Error {}

export interface LoaderOptions {
  readonly files: BuildFiles;
  readonly fetch: BuildFetch;
  /** Files outside a kustomization's folder may be read. */
  readonly unrestricted: boolean;
}

/** Reads the files of one folder, and opens others next to it. */
export class Loader {
  private constructor(
    /** Absolute, without symbolic links. */
    readonly root: string,
    readonly options: LoaderOptions,
    private readonly referrer: Loader | undefined,
  ) {}

  /** The folder that a build begins in. */
  static async open(path: string, options: LoaderOptions): Promise<Loader> {
    if (isRepositoryUrl(path)) throw remote(path);
    return new Loader(await confirmDirectory(path, options.files), options, undefined);
  }

  /** The last part of the folder's path. */
  get folderName(): string {
    return pathsOf(this.options.files).basename(this.root);
  }

  /** Another folder, by its path from this one. */
  async open(path: string): Promise<Loader> {
    if (path === "") throw new Error("new root cannot be empty");
    if (isRepositoryUrl(path)) throw remote(path);
    const { files } = this.options;
    const { isAbsolute, join } = pathsOf(files);
    if (isAbsolute(path)) throw new Error(`new root '${path}' cannot be absolute`);
    const root = await confirmDirectory(join(this.root, path), files);
    this.refuseCycle(root);
    return new Loader(root, this.options, this);
  }

  private refuseCycle(root: string): void {
    if (holds(root, this.root, this.options.files)) {
      throw new Error(`cycle detected: candidate root '${root}' contains visited root '${this.root}'`);
    }
    this.referrer?.refuseCycle(root);
  }

  async load(path: string): Promise<string> {
    return textOf(await this.loadBytes(path));
  }

  async loadBytes(path: string): Promise<Uint8Array> {
    if (/^https?:/i.test(path)) return this.download(path);
    const { files, unrestricted } = this.options;
    const { isAbsolute, join } = pathsOf(files);
    const whole = isAbsolute(path) ? path : join(this.root, path);
    return readFile(unrestricted ? whole : await this.restricted(whole), files);
  }

  private async restricted(path: string): Promise<string> {
    const { files } = this.options;
    const [folder, name] = await cleanedPath(path, files);
    if (name === "") throw new Error(`'${path}' must resolve to a file`);
    if (!holds(this.root, folder, files)) {
      throw new Error(`security; file '${path}' is not in or below '${this.root}'`);
    }
    return pathsOf(files).join(folder, name);
  }

  private async download(url: string): Promise<Uint8Array> {
    const answer = await this.options.fetch(url);
    if (answer.status >= 200 && answer.status <= 299) return answer.bytes();
    if (isRepositoryUrl(url)) throw new Error("URL is a git repository");
    throw new HttpFailure(`HTTP Error: status code ${answer.status} (${answer.statusText})`);
  }
}

const pathsOf = ({ platform }: BuildFiles): typeof posix => (platform === "win32" ? win32 : posix);

const remote = (path: string): Error =>
  new Error(
    `${goQuote(path)} is in a git repository, and repositories are not cloned: clone it yourself and name the folder`,
  );

/** Whether `path` is `folder` or below it. */
function holds(folder: string, path: string, files: BuildFiles): boolean {
  const { sep } = pathsOf(files);
  return folder === sep || path === folder || path.startsWith(`${folder}${sep}`);
}

async function readFile(path: string, files: BuildFiles): Promise<Uint8Array> {
  try {
    return await files.readFile(path);
  } catch (error) {
    throw new Error(`${errorCode(error) === "EISDIR" ? "read" : "open"} ${path}: ${errnoText(error)}`, {
      cause: error,
    });
  }
}

/** The folder without symbolic links. */
async function confirmDirectory(path: string, files: BuildFiles): Promise<string> {
  if (path === "") throw new Error(`${NO_FOLDER}: directory path cannot be empty`);
  const [folder, name] = await cleanedPath(path, files).catch((error: unknown) => {
    throw wrap(error, `${NO_FOLDER}: not a valid directory`);
  });
  if (name !== "") throw new Error(`${NO_FOLDER}: '${path}': file is not directory`);
  return folder;
}

const NO_FOLDER = "must build at directory";

/** Folder and name, free of symbolic links; the name is empty for a folder. */
async function cleanedPath(path: string, files: BuildFiles): Promise<readonly [string, string]> {
  const { resolve, dirname, basename } = pathsOf(files);
  const absolute = resolve(files.cwd, path);
  const real = await files.realpath(absolute).catch(async (error: unknown) => {
    const missing = await firstMissing(absolute, files);
    throw new Error(`evalsymlink failure on '${path}' : lstat ${missing}: ${errnoText(error)}`, { cause: error });
  });
  return (await files.isDirectory(real)) ? [real, ""] : [dirname(real), basename(real)];
}

/** The first part of a path that is not there. */
async function firstMissing(path: string, files: BuildFiles): Promise<string> {
  const { dirname } = pathsOf(files);
  const parent = dirname(path);
  if (parent === path) return path;
  const real = await files.realpath(parent).catch(() => undefined);
  return real === undefined ? firstMissing(parent, files) : path.replace(parent, real);
}

/** Whether kustomize takes a path for a git repository: a URL with at least two path parts, or one of git's short forms. */
export function isRepositoryUrl(path: string): boolean {
  if (path.startsWith("/")) return false;
  const bare = (path.split("?")[0] ?? "").replace(/^git::/i, "");
  const scheme = /^(?:ssh|https?|file):\/\//i.exec(bare)?.[0] ?? "";
  const rest = bare.slice(scheme.length);
  const user = /^[a-zA-Z][a-zA-Z0-9-]*@/.exec(rest)?.[0] ?? "";
  const host = rest.slice(user.length);
  const shortForm = scheme === "" && (user !== "" || /^github\.com[/:]/i.test(host));
  if (scheme === "" && !shortForm) return false;
  if (scheme.toLowerCase() === "file://") return hasRepository(`${user}${host}`, 0);
  const slash = host.indexOf("/");
  const colon = shortForm ? host.indexOf(":") : -1;
  const end = colon > 0 && (slash === -1 || colon < slash) ? colon : slash;
  return end >= 0 && hasRepository(host.slice(end + 1), 2);
}

/** `segments`: how many a repository's path has, where nothing marks its end; 0 for all of them. */
function hasRepository(path: string, segments: number): boolean {
  const [repository, folder] = split(path, segments);
  return repository !== "" && !/^\/?(?:\.\/)*\.\.(?:\/|$)/.test(folder);
}

function split(path: string, segments: number): readonly [string, string] {
  const azure = path.indexOf("_git/");
  if (azure >= 0)
    return [
      path,
      path
        .slice(azure + 5)
        .split("/")
        .slice(1)
        .join("/"),
    ];
  const double = path.indexOf("//");
  if (double >= 0) return [path.slice(0, double), path.slice(double + 2)];
  const suffix = path.indexOf(".git");
  if (suffix >= 0) return [path.slice(0, suffix + 4), path.slice(suffix + 4)];
  const parts = path.split("/");
  if (segments === 0) return [path, ""];
  return parts.length < segments ? ["", ""] : [parts.slice(0, segments).join("/"), parts.slice(segments).join("/")];
}

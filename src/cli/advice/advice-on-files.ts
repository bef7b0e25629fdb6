import { opendir, stat } from "node:fs/promises";
import { type PlatformPath, posix, win32 } from "node:path";
import { errorCode } from "../../base/files/path-error.js";
import type { Factory } from "../connect/factory.js";
import { didYouMean, nearest } from "./suggestions.js";

/** More names of a folder are not looked at. */
const MOST_NAMES = 10_000;

/** Advises a user who named a file that does not exist: suggests a file of a similar name, in its folder or in a folder of a similar name. */
export async function adviceOnFiles(
  errors: readonly unknown[],
  { cwd, platform }: Pick<Factory, "cwd" | "platform">,
): Promise<string | undefined> {
  const paths = platform === "win32" ? win32 : posix;
  // An error and its cause name one file, as it was typed and as an absolute path.
  const typed = new Map<string, string>();
  for (const path of errors.flatMap(missingPath)) {
    const whole = paths.resolve(cwd, path);
    if (!typed.has(whole)) typed.set(whole, path);
  }
  return didYouMean(await Promise.all([...typed.values()].map((path) => nearPath(path, cwd, paths))));
}

/** Of this program's errors about files, and of Node's; a program that cannot be started has a path too. */
function missingPath(error: unknown): readonly string[] {
  if (errorCode(error) !== "ENOENT" || !(error instanceof Error) || !("path" in error)) return [];
  if ("syscall" in error && String(error.syscall).startsWith("spawn")) return [];
  return typeof error.path === "string" && error.path !== "" ? [error.path] : [];
}

/** As it was typed, with the names that do not exist put right; undefined where one of them has no near one beside it. */
async function nearPath(typed: string, cwd: string, paths: PlatformPath): Promise<string | undefined> {
  const path = paths.isAbsolute(typed) ? fromFolder(typed, cwd, paths) : typed;
  let found = paths.parse(path).root;
  for (const name of path.slice(found.length).split(paths === win32 ? /[/\\]/ : "/")) {
    if (name === "") continue;
    const next = await existingName(paths.resolve(cwd, found), name, paths);
    if (next === undefined) return undefined;
    found = found === "" || found.endsWith(paths.sep) ? found + next : `${found}/${next}`;
  }
  return found === path ? undefined : found;
}

/** Relative to the folder where the path is below it. */
function fromFolder(path: string, folder: string, paths: PlatformPath): string {
  const below = paths.relative(folder, path);
  return below === "" || below.startsWith("..") || paths.isAbsolute(below) ? path : below;
}

async function existingName(folder: string, name: string, paths: PlatformPath): Promise<string | undefined> {
  const isThere = await stat(paths.join(folder, name)).then(
    () => true,
    () => false,
  );
  if (isThere) return name;
  const names = await namesIn(folder);
  return nearest(name, names) ?? ofOtherExtension(name, names, paths);
}

/** "app.yaml" for "app.json"; of several the one whose name is as long. */
function ofOtherExtension(name: string, names: readonly string[], paths: PlatformPath): string | undefined {
  const stem = (path: string): string => paths.parse(path).name;
  const difference = (other: string): number => Math.abs(other.length - name.length);
  return names.filter((other) => stem(other) === stem(name)).sort((a, b) => difference(a) - difference(b))[0];
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    names.push(name);
    if (names.length === MOST_NAMES) break;
  }
  return names.sort();
}

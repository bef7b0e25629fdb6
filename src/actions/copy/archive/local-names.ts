import { isAbsolute, join, relative, sep } from "node:path";

/** Removes one slash at the end of a local path, as kubectl does. */
export const withoutLastSlash = (path: string): string =>
  path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;

/** Joins paths as Go's filepath.Join does: cleaned, without a slash at the end. */
export function joined(folder: string, rest: string): string {
  const path = join(folder, rest);
  return path.length > 1 && (path.endsWith("/") || path.endsWith(sep)) ? path.slice(0, -1) : path;
}

/** The path components from `folder` to `path`; empty for the folder itself. Undefined for a path outside of it. */
export function componentsBelow(folder: string, path: string): readonly string[] | undefined {
  const way = relative(folder, path);
  if (way === "") return [];
  const components = way.split(sep);
  return components[0] === ".." || isAbsolute(way) ? undefined : components;
}

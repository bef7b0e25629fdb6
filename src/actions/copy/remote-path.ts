import { posix } from "node:path";
import { withoutLastSlash } from "../archive/local-names.js";

/** As Go cleans and joins paths of a container: without a slash at the end. */
export const remoteJoin = (...parts: readonly string[]): string => withoutLastSlash(posix.join(...parts));

/**
 * What the names in an archive begin with, that a container's tar makes of a path: without slashes and ways up at the beginning.
 */
export function archivePrefix(path: string): string {
  let rest = remoteJoin(path.replace(/^[/\\]+/, ""));
  while (rest.startsWith("../")) rest = rest.slice(3);
  if (rest === "." || rest === "..") return "";
  return rest.startsWith("/") ? rest.slice(1) : rest;
}

import { posix } from "node:path";
import { type ExecPlace, execInPod } from "./exec-in-pod.js";
import { withoutLastSlash } from "./archive/local-names.js";

/** What a program in the container may print where its answer is read as a whole. */
const LONGEST = 64 * 1024 * 1024;

/** The arguments of a script for the container's shell. */
export const shell = (script: string, ...args: readonly string[]): readonly string[] => [
  "sh",
  "-c",
  script,
  "sh",
  ...args,
];

/** Runs a program in the container and returns its output. Throws a RemoteCommandExitError where its exit code is not 0. */
export async function remoteText(
  place: ExecPlace,
  command: readonly string[],
  stderr: (chunk: Uint8Array) => Promise<void>,
  signal: AbortSignal,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stdout = async (chunk: Uint8Array): Promise<void> => {
    length += chunk.length;
    if (length > LONGEST) throw new Error("the container answers with more than can be read");
    chunks.push(chunk.slice());
  };
  await execInPod(place, command, { stdout, stderr }, signal);
  return Buffer.concat(chunks).toString();
}

/** Joins and cleans paths of a container as Go's path.Join does: without a slash at the end. */
export const remoteJoin = (...parts: readonly string[]): string => withoutLastSlash(posix.join(...parts));

/** Returns the prefix of the names in the archive that a container's tar makes of a path: the path without leading slashes and "..". */
export function archivePrefix(path: string): string {
  let rest = remoteJoin(path.replace(/^[/\\]+/, ""));
  while (rest.startsWith("../")) rest = rest.slice(3);
  if (rest === "." || rest === "..") return "";
  return rest.startsWith("/") ? rest.slice(1) : rest;
}

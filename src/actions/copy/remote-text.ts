import type { ExecPlace } from "./exec-in-pod.js";
import { execInPod } from "./exec-in-pod.js";

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

/** The output of a program in the container. Throws a RemoteCommandExitError where its exit code is not 0. */
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

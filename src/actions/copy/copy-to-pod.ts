import { stat } from "node:fs/promises";
import { basename, normalize, resolve } from "node:path";
import { archiveFiles } from "./archive/archive-files.js";
import { withoutLastSlash } from "./archive/local-names.js";
import { goQuote } from "../../base/text/go-quote.js";
import { PathError } from "../../base/files/path-error.js";
import { execInPod, type ExecTarget, findExecPlace, type CopyMessages } from "./exec-in-pod.js";
import { remoteJoin } from "./remote-text.js";
import { posix } from "node:path";

export interface CopyToPodOptions {
  readonly target: ExecTarget;
  readonly source: string;
  /** A path in the container. */
  readonly destination: string;
  /** Owners and permissions are those that new files get in the container. */
  readonly noPreserve: boolean;
  readonly cwd: string;
  readonly messages: CopyMessages;
  readonly signal: AbortSignal;
}

/** Milliseconds to find out whether the destination is a folder. */
const PATIENCE = 30_000;

/** Copies with the tar program of the container. Behaviour and messages are kubectl's. */
export async function copyToPod(options: CopyToPodOptions): Promise<void> {
  const { source, target, noPreserve, cwd, messages, signal } = options;
  await requireSource(source, cwd);
  const destination = await finalPlace(options);
  const place = await findExecPlace(target, (line) => void messages.err(`${line}\n`));
  const failure = new AbortController();
  const archive = archiveFiles(cleaned(source), {
    name: posix.basename(destination),
    cwd,
    onSkipped: (path) => void messages.err(`warning: skipping device or pipe: ${goQuote(path)}\n`),
    onProgress: (path, read, size) => messages.progress(path, read, size),
  });
  const flags = noPreserve ? ["--no-same-permissions", "--no-same-owner"] : [];
  const command = ["tar", ...flags, "-xmf", "-", "-C", remoteFolder(destination)];
  const stdin = failing(archive, (error) => failure.abort(error));
  const streams = {
    stdin,
    stdout: (chunk: Uint8Array) => messages.out(chunk),
    stderr: (chunk: Uint8Array) => messages.err(chunk),
  };
  try {
    await execInPod(place, command, streams, AbortSignal.any([signal, failure.signal]));
  } catch (error) {
    if (failure.signal.aborted) throw failure.signal.reason;
    throw error;
  }
}

export async function requireSource(source: string, cwd: string): Promise<void> {
  try {
    await stat(resolve(cwd, source));
  } catch (error) {
    throw new Error(`${source} doesn't exist in local filesystem`, { cause: new PathError("stat", source, error) });
  }
}

/** The path that the source is copied to: inside the destination when that is a folder. */
export async function finalPlace({
  source,
  destination,
  target,
  signal,
}: Pick<CopyToPodOptions, "source" | "destination" | "target" | "signal">): Promise<string> {
  const late = AbortSignal.timeout(PATIENCE);
  const either = AbortSignal.any([signal, late]);
  const nothing = async (): Promise<void> => undefined;
  try {
    const place = await findExecPlace(target, () => undefined, either);
    const streams = { stdout: nothing, stderr: nothing };
    await execInPod(place, ["test", "-d", destination], streams, either);
    return remoteJoin(destination, withoutLastSlash(basename(source)));
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw new Error("context deadline exceeded", { cause: error });
    // Whatever else went wrong: what comes next goes wrong in the same way, and says how.
    return remoteJoin(destination);
  }
}

export const cleaned = (path: string): string => withoutLastSlash(normalize(path));

const remoteFolder = (path: string): string => posix.dirname(path);

/** Passes an error on before the reader of the chunks sees it: what the container says then is of no interest. */
async function* failing(chunks: AsyncIterable<Uint8Array>, fail: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    fail(error);
    throw error;
  }
}

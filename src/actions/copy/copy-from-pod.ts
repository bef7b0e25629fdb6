import { setTimeout as pause } from "node:timers/promises";
import { extractArchive, type SkippedEntry } from "./archive/extract-archive.js";
import { goQuote } from "../../base/text/go-quote.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import { isRemoteCommandExit } from "../../machinery/wire/streams/remote-command.js";
import { execInPod, type ExecPlace, type ExecTarget, findExecPlace, type CopyMessages } from "./exec-in-pod.js";
import { archivePrefix } from "./remote-text.js";
import { RemoteProgram } from "./remote-program.js";

export interface CopyFromPodOptions {
  readonly target: ExecTarget;
  /** The namespace as the operand has it, for a hint. */
  readonly givenNamespace: string;
  /** A path in the container. */
  readonly source: string;
  readonly destination: string;
  /** How often a copy that broke off is resumed; less than 0 is always. */
  readonly retries: number;
  /** "kubectl", for a hint. */
  readonly program: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly messages: CopyMessages;
  readonly signal: AbortSignal;
}

/** Milliseconds that the container's tar has to end, once its archive has. */
const LAST_WORDS = 1000;

/** Milliseconds before a copy is resumed that had brought nothing. */
const AFTER_NOTHING = 1000;

/** Copies with the tar program of the container. Behaviour and messages are kubectl's. */
export async function copyFromPod(options: CopyFromPodOptions): Promise<void> {
  const { source, destination, cwd, platform, messages } = options;
  const archive = new RemoteArchive(options);
  try {
    const count = await extractArchive(archive.chunks(), {
      prefix: archivePrefix(source),
      destination,
      cwd,
      platform,
      onSkipped: skippedWarnings(options),
      onProgress: (path, written, size) => messages.progress(path, written, size),
    });
    await archive.finish();
    // Behind a pipe the container's tar has no exit code.
    if (count === 0) throw new Error(`${source} was not found in the container`);
  } finally {
    archive.stop();
  }
}

/** The archive that the container's tar writes, resumed where it broke off. */
class RemoteArchive {
  readonly #options: CopyFromPodOptions;
  #program: RemoteProgram | undefined;
  #read = 0;
  #retries = 0;

  constructor(options: CopyFromPodOptions) {
    this.#options = options;
  }

  /** Ends early when the output does, once no retry is left; throws what the program ended with. */
  async *chunks(): AsyncGenerator<Uint8Array, void> {
    const { retries, messages, signal } = this.#options;
    for (;;) {
      const before = this.#read;
      try {
        yield* this.#attempt();
      } catch (error) {
        if (!this.#mayRetry() || !isBrokenOff(error, this.#program !== undefined)) throw error;
      }
      if (!this.#mayRetry()) break;
      this.#retries += 1;
      await messages.out(`Resuming copy at ${this.#read} bytes, retry ${this.#retries}/${retries}\n`);
      if (this.#read === before) await pause(AFTER_NOTHING, undefined, { signal });
    }
    await messages.out(`Dropping out copy after ${this.#retries} retries\n`);
  }

  finish(): Promise<void> | undefined {
    return this.#program?.finish(LAST_WORDS);
  }

  stop(): void {
    this.#program?.stop();
  }

  #mayRetry(): boolean {
    return this.#options.retries < 0 || this.#retries < this.#options.retries;
  }

  async *#attempt(): AsyncGenerator<Uint8Array, void> {
    const { target, messages, signal } = this.#options;
    const say = (text: string): void => void messages.out(`${text}\n`);
    this.#program = undefined;
    const place = await findExecPlace(target, say);
    const program = new RemoteProgram((write, stop) => this.#run(place, write, stop), signal);
    this.#program = program;
    for (let chunk = await program.next(); chunk !== undefined; chunk = await program.next()) {
      this.#read += chunk.length;
      yield chunk;
    }
  }

  /** What the container's tar says of its work goes to stdout, as kubectl's users know it. */
  #run(place: ExecPlace, stdout: (chunk: Uint8Array) => Promise<void>, stop: AbortSignal): Promise<void> {
    const { source, retries, messages } = this.#options;
    const escaped = source.replaceAll("'", String.raw`'\''`);
    const from = this.#retries === 0 ? 0 : this.#read + 1;
    const command =
      retries === 0 ? ["tar", "cf", "-", source] : ["sh", "-c", `tar cf - '${escaped}' | tail -c+${from}`];
    return execInPod(place, command, { stdout, stderr: (chunk) => messages.out(chunk) }, stop);
  }
}

/** Whether a connection broke, rather than the program ended badly or the server refused. */
const isBrokenOff = (error: unknown, started: boolean): boolean =>
  !isRemoteCommandExit(error) && !isStatusError(error) && (started || isTransportError(error));

function skippedWarnings({ program, givenNamespace, target, source, messages }: CopyFromPodOptions) {
  let hinted = false;
  const text = ({ reason, path, linkName }: SkippedEntry): string => {
    const place = goQuote(path);
    if (reason === "outside") return `file ${place} is outside target destination, skipping`;
    if (reason === "special") return `skipping device or pipe: ${place}`;
    if (reason === "hardlink") return `skipping hard link: ${place} -> ${goQuote(linkName)}`;
    const link = `skipping symlink: ${place} -> ${goQuote(linkName)}`;
    if (hinted) return link;
    hinted = true;
    const exec = `${program} exec -n ${goQuote(givenNamespace)} ${goQuote(target.pod)} -- tar cf - ${goQuote(source)}`;
    return `${link} (consider using "${exec} | tar xf -")`;
  };
  return (entry: SkippedEntry): Promise<void> => messages.err(`warning: ${text(entry)}\n`);
}

import { BytePipe } from "../../byte-pipe.js";
import type { OutputTarget } from "../program.js";
import type { Job } from "./jobs.js";
import type { Command, CoprocessCommand, ProcessPart } from "./parse/syntax.js";
import type { Shell } from "./shell.js";
import type { ShellStreams } from "./shell-state.js";

/** As bash, which takes descriptors from 63 down, and for what coprocesses read those from 60 down. */
const FIRST_DESCRIPTOR = 63;
const FIRST_INPUT = 60;

/** A path that leads to commands. */
interface OpenPath {
  readonly path: string;
  close(): void;
}

/** Commands that read what others write. */
interface Consumer {
  readonly input: BytePipe;
  /** Of a coprocess: what the shell may read. */
  readonly output?: BytePipe;
  readonly job: Job;
}

/** The process substitutions of a shell: commands of <(...) and >(...), which run in the background. */
export class ProcessSubstitutions {
  readonly #paths: OpenPath[] = [];
  readonly #consumers = new Set<Consumer>();
  /** Outputs that `exec` has made the shell's own, and the commands that read them. */
  readonly #kept = new Map<OutputTarget, BytePipe>();

  constructor(private readonly shell: Shell) {}

  /** How many paths are open: a mark for {@link closeTo}. */
  get open(): number {
    return this.#paths.length;
  }

  /** Starts the commands, and gives a path of the container that leads to them. */
  pathOf({ direction, body }: ProcessPart): string {
    const { files } = this.shell;
    const pipe = direction === "<" ? this.inputFrom(body) : this.outputTo(body);
    const path = pathOf(freeBelow(FIRST_DESCRIPTOR, (number) => files.look(pathOf(number)) !== undefined));
    files.mount(path, {
      read: () => (direction === "<" ? pipe : []),
      write: (chunk) => (direction === ">" ? pipe.write(chunk) : undefined),
    });
    this.#paths.push({
      path,
      close: () => (direction === "<" ? pipe.destroy() : pipe.end()),
    });
    return path;
  }

  /** Closes the paths that were opened since there were so many. */
  closeTo(open: number): void {
    while (this.#paths.length > open) {
      const { path, close } = this.#paths.pop() as OpenPath;
      this.shell.files.remove(path, { force: true });
      close();
    }
  }

  /** What commands write. Once the command has ended that reads it, they can write no more. */
  inputFrom(commands: Command): BytePipe {
    const output = new BytePipe();
    const streams = { ...this.#streams(), stdout: writerTo(output) };
    this.#start(commands, streams, () => output.end());
    return output;
  }

  /** What commands read. */
  outputTo(commands: Command): BytePipe {
    const input = new BytePipe();
    const streams = { ...this.#streams(), stdin: input };
    const consumer: Consumer = {
      input,
      job: this.#start(commands, streams, () => {
        input.destroy();
        this.#consumers.delete(consumer);
      }),
    };
    this.#consumers.add(consumer);
    return input;
  }

  /** Keeps outputs that `exec` has opened while a descriptor of `streams` leads to them. */
  keep(outputs: ReadonlyMap<OutputTarget, BytePipe>, streams: ShellStreams): void {
    for (const [target, pipe] of outputs) this.#kept.set(target, pipe);
    const used = new Set<unknown>([streams.stdout, streams.stderr]);
    for (const descriptor of streams.others?.values() ?? []) if ("output" in descriptor) used.add(descriptor.output);
    for (const [target, pipe] of this.#kept) {
      if (used.has(target)) continue;
      pipe.end();
      this.#kept.delete(target);
    }
  }

  /** Starts a coprocess. The elements 0 and 1 of its array are the descriptors by which the shell reads from it and writes to it. */
  startCoprocess({ name, command }: CoprocessCommand, streams: ShellStreams): number {
    const { shell } = this;
    const [input, output] = [new BytePipe(), new BytePipe()];
    const inner = { ...streams, stdin: input, stdout: writerTo(output) };
    const end = (): void => {
      input.destroy();
      output.end();
      this.#consumers.delete(consumer);
    };
    const consumer: Consumer = { input, output, job: this.#start(command, inner, end, false) };
    this.#consumers.add(consumer);
    const others = new Map(streams.others);
    const reading = freeBelow(FIRST_DESCRIPTOR, (number) => others.has(number));
    others.set(reading, { input: output });
    const writing = freeBelow(FIRST_INPUT, (number) => others.has(number));
    const target = writerTo(input);
    others.set(writing, { output: target });
    streams.others = others;
    this.keep(new Map([[target, input]]), streams);
    for (const [key, number] of [reading, writing].entries()) shell.assignElement(name, `${key}`, `${number}`);
    shell.assign(`${name}_PID`, `${consumer.job.pid}`);
    return 0;
  }

  /** At the end of the shell, has the commands that read from it come to their end. */
  async end(): Promise<void> {
    for (const { input, output } of this.#consumers) {
      input.end();
      output?.destroy();
    }
    await Promise.all([...this.#consumers].map(({ job }) => job.done));
  }

  #start(commands: Command, streams: ShellStreams, ended: () => void, isSubstitution = true): Job {
    const { shell } = this;
    const end = shell.io.container.fork();
    return shell.jobs.start(
      (job) => shell.subshell(streams, (inner) => inner.run(commands, streams), end, job).finally(ended),
      isSubstitution,
    );
  }

  /** Those of the command that the words are of. */
  #streams(): ShellStreams {
    const { streams, io } = this.shell;
    return streams ?? { stdin: undefined, stdout: (chunk) => io.stdout.write(chunk), stderr: this.shell.errors };
  }
}

const pathOf = (descriptor: number): string => `/dev/fd/${descriptor}`;

/** The next number from `first` down that is not used. */
function freeBelow(first: number, isUsed: (number: number) => boolean): number {
  let number = first;
  while (isUsed(number)) number -= 1;
  return number;
}

export const writerTo =
  (pipe: BytePipe): OutputTarget =>
  (chunk, signal) =>
    pipe.write(chunk, signal);

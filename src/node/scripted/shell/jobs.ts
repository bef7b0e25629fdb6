import type { ProgramIo } from "../program.js";
import { signalNumber } from "../signals.js";
import { JobEnded } from "./control-flow.js";
import { BytePipe } from "../../byte-pipe.js";
import type { Shell } from "./shell.js";
import type { ShellStreams } from "./shell-state.js";
import type { Command } from "./parse/syntax.js";

/** How many jobs a shell remembers that have ended. */
const MOST_ENDED_JOBS = 256;
const NOT_FOUND = 127;
const SIGNALLED = 128;

/** A command in the background. */
export interface Job {
  readonly pid: number;
  readonly done: Promise<number>;
  hasEnded: boolean;
  /** It is of <(...) or >(...): `wait` waits for it only where it is the last that has begun. */
  readonly isSubstitution: boolean;
  /** Passes a signal on to what runs in it. */
  signal(name: string): void;
}

/** The scope of a job: its signal aborts when the job is killed. */
export interface JobScope {
  readonly signal: AbortSignal;
  /** Handles the signals that the job is sent; false where a signal is to end it. */
  receive: (name: string) => boolean;
}

/** The background commands of a shell. Those that the shell runs itself have invented pids. */
export class Jobs {
  readonly #jobs = new Map<number, Job>();
  /** They end the jobs that run, as the end of the shell does. */
  readonly #killers = new Set<AbortController>();
  #count = 0;
  /** $! */
  last: number | undefined;

  constructor(private readonly io: Pick<ProgramIo, "pid" | "signal">) {}

  readonly #end = (): void => {
    for (const killer of this.#killers) killer.abort(this.io.signal.reason);
  };

  /** Starts a job. `run` resolves with its code, or rejects where it was killed. */
  start(run: (scope: JobScope) => Promise<number>, isSubstitution = false): Job {
    const killed = new AbortController();
    if (this.#killers.size === 0) this.io.signal.addEventListener("abort", this.#end, { once: true });
    this.#killers.add(killed);
    const scope: JobScope = { signal: killed.signal, receive: () => false };
    const pid = this.io.pid * 1000 + (this.#count += 1);
    const done = run(scope)
      .catch((error: unknown) => (error instanceof JobEnded ? error.code : 1))
      .finally(() => {
        this.#killers.delete(killed);
        if (this.#killers.size === 0) this.io.signal.removeEventListener("abort", this.#end);
        this.#ended(job);
      });
    const job: Job = {
      pid,
      done,
      hasEnded: false,
      isSubstitution,
      signal: (name) => {
        if (!scope.receive(name)) killed.abort(new JobEnded(SIGNALLED + signalNumber(name)));
      },
    };
    this.#jobs.set(pid, job);
    this.last = pid;
    return job;
  }

  /** By its pid, or by its number as "%1". */
  find(name: string): Job | undefined {
    if (name === "%%" || name === "%+" || name === "%") return this.#jobs.get(this.last ?? 0);
    return this.#jobs.get(name.startsWith("%") ? this.io.pid * 1000 + Number(name.slice(1)) : Number(name));
  }

  get running(): readonly Job[] {
    return [...this.#jobs.values()].filter(({ hasEnded, isSubstitution }) => !hasEnded && !isSubstitution);
  }

  /** The code of the last of these jobs, all of which have to end; 0 for all jobs where no pids are given. */
  async wait(pids: readonly string[], signal: Promise<string>): Promise<number> {
    const own = [...this.#jobs.values()].filter(({ isSubstitution, pid }) => !isSubstitution || pid === this.last);
    const jobs = pids.length === 0 ? own : pids.map((pid) => this.find(pid));
    const codes = Promise.all(jobs.map(async (job) => (job === undefined ? NOT_FOUND : job.done)));
    const ended = await Promise.race([codes, signal]);
    // A job is waited for once.
    if (typeof ended === "string") return SIGNALLED + signalNumber(ended);
    if (pids.length === 0) for (const job of jobs) if (job?.hasEnded === true) this.#jobs.delete(job.pid);
    return pids.length === 0 ? 0 : (ended.at(-1) ?? NOT_FOUND);
  }

  /** The code of the job that ends next (wait -n). */
  async waitForOne(signal: Promise<string>): Promise<number> {
    const { running } = this;
    const [ended] = this.#jobs.values();
    if (ended?.hasEnded === true) {
      this.#jobs.delete(ended.pid);
      return ended.done;
    }
    if (running.length === 0) return NOT_FOUND;
    const first = running.map(async ({ pid, done }) => {
      const code = await done;
      return { pid, code };
    });
    const one = await Promise.race([...first, signal]);
    if (typeof one === "string") return SIGNALLED + signalNumber(one);
    this.#jobs.delete(one.pid);
    return one.code;
  }

  #ended(job: Job): void {
    job.hasEnded = true;
    if (this.#jobs.size <= MOST_ENDED_JOBS) return;
    for (const [pid, { hasEnded }] of this.#jobs) if (hasEnded) return void this.#jobs.delete(pid);
  }
}

/**
 * Runs the stages of a pipeline concurrently, each in a subshell; a single one in the shell itself. Resolves with the exit code of
 * the last one; with pipefail, with that of the last one that failed.
 */
export async function runPipeline(
  shell: Shell,
  { stages, negated }: Extract<Command, { kind: "pipeline" }>,
  streams: ShellStreams,
): Promise<number> {
  const [only] = stages;
  if (stages.length === 1 && only !== undefined) return inverted(await shell.run(only, streams, true), negated);
  const codes = await runStages(shell, stages, streams);
  shell.state.pipeStatus = codes;
  const failed = shell.state.options.has("pipefail") ? codes.findLast((code) => code !== 0) : undefined;
  return inverted(failed ?? codes.at(-1) ?? 0, negated);
}

const inverted = (code: number, negated: boolean): number => (negated ? Number(code === 0) : code);

async function runStages(shell: Shell, stages: readonly Command[], streams: ShellStreams): Promise<readonly number[]> {
  const ends = forkEach(shell, stages);
  const pipes = stages.slice(1).map(() => new BytePipe());
  return Promise.all(
    stages.map(async (stage, index) => {
      const [input, output] = [pipes[index - 1], pipes[index]];
      const inner: ShellStreams = {
        stdin: input ?? streams.stdin,
        stdout: output === undefined ? streams.stdout : (chunk, signal) => output.write(chunk, signal),
        stderr: streams.stderr,
        ...(streams.others && { others: streams.others }),
      };
      try {
        return await shell.subshell(inner, (one) => one.run(stage, inner), ends[index]);
      } finally {
        output?.end();
        input?.destroy();
      }
    }),
  );
}

/** A process for each stage, or none at all. */
function forkEach(shell: Shell, stages: readonly Command[]): readonly (() => void)[] {
  const ends: (() => void)[] = [];
  try {
    for (const _stage of stages) ends.push(shell.io.container.fork());
    return ends;
  } catch (error) {
    for (const end of ends) end();
    throw error;
  }
}

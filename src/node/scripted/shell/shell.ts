import { Pace } from "../../../base/pace.js";
import type { Steps } from "../../../base/steps.js";
import { sliceIsSpent } from "../../../base/time-slice.js";
import { BrokenPipeError, BytePipe } from "../../byte-pipe.js";
import { ForkError } from "../limits/errors.js";
import { MemoryShare } from "../limits/memory-share.js";
import { type ChildProcess, ExecError, type OutputTarget, type ProgramIo } from "../program.js";
import { signalNumber } from "../signals.js";
import { giveWay, workInSlices } from "../slices.js";
import { ArithmeticError } from "./arithmetic.js";
import { BUILTINS } from "./builtins.js";
import { runCompound } from "./compound.js";
import { CommandError, ExitShell, Interrupted, LeaveLoop } from "./control-flow.js";
import { expandWord, expandWords, type ExpansionScope, UnsetParameterError } from "./expand.js";
import { GrowingValue, outOfSpace } from "./growing-value.js";
import { parseScript } from "./parse.js";
import { runPipeline } from "./pipeline.js";
import { redirected } from "./redirect.js";
import { detached, type ShellState, type ShellStreams, Variables } from "./shell-state.js";
import { type AndOrList, type Command, ShellSyntaxError, type SimpleCommand } from "./syntax.js";
import { Traps } from "./traps.js";

const EXEC_PROBLEMS = {
  "not-found": "not found",
  "not-executable": "Permission denied",
  "too-long": "Argument list too long",
} as const;
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const BROKEN_PIPE = 141;
const CANNOT_FORK = 2;
/** How deep scripts may run in scripts, by eval, "." and traps. */
const MOST_NESTED = 1000;
/** What a script that runs takes beside its text and its commands, in bytes: its promises. */
const RUN_BYTES = 8 * 1024;
/** What a subshell takes beside its variables, in bytes. */
const SUBSHELL_BYTES = 8 * 1024;
/** How many jobs a shell remembers that have ended. */
const MOST_ENDED_JOBS = 256;

/** What $1 or another takes beside its text, in bytes. */
const POSITIONAL_BYTES = 256;

/** A command in the background. */
interface Job {
  readonly pid: number;
  done: Promise<number>;
  hasEnded: boolean;
}

/** Runs parsed commands. Its builtins run inside it, all else as processes of the container. */
export class Shell implements ExpansionScope {
  readonly #running = new Set<ChildProcess>();
  readonly #background = new Map<number, Job>();
  readonly #traps: Traps;
  /** What is held until a command has ended: its words, and the script that it is of. */
  readonly #memory: MemoryShare;
  #interrupted = false;
  #isInTrap = false;
  #jobs = 0;
  #lastJob: number | undefined;
  #line = 1;
  /** What $1 and those that follow take that were set in this shell. */
  #positionalBytes = 0;
  /** What the script takes that runs now, in bytes. */
  #scriptBytes = 0;

  constructor(
    readonly io: ProgramIo,
    readonly state: ShellState,
    readonly name: string,
    readonly interactive: boolean,
    /** How many scripts run in each other. */
    private nested = 0,
  ) {
    this.#traps = new Traps(io);
    this.#memory = new MemoryShare(io.memory);
  }

  get files(): ProgramIo["files"] {
    return this.io.files;
  }

  get cwd(): string {
    return this.state.cwd;
  }

  get positional(): readonly string[] {
    return this.state.positional;
  }

  get environment(): Record<string, string> {
    const { exported, variables } = this.state;
    return Object.fromEntries([...exported].map((name) => [name, variables.get(name) ?? ""]));
  }

  take(bytes: number): void {
    this.#memory.take(bytes);
  }

  inSlices<T>(work: Steps<T>): Promise<T> {
    return workInSlices(work, this.io);
  }

  /** In place of $1 and those that follow. */
  async setPositional(values: readonly string[]): Promise<void> {
    const { bytes, own } = await this.inSlices(ownValues(values));
    this.io.memory.take(bytes - this.#positionalBytes);
    this.#positionalBytes = bytes;
    this.state.positional = own;
  }

  parameter(name: string): string | undefined {
    const { positional, status, variables } = this.state;
    if (name === "?") return String(status);
    if (name === "$") return String(this.io.pid);
    if (name === "#") return String(positional.length);
    if (name === "!") return this.#lastJob?.toString();
    if (name === "-") return this.state.exitsOnError ? "e" : "";
    if (name === "0") return this.name;
    if (/^\d/.test(name)) return positional[Number(name) - 1];
    return variables.get(name);
  }

  assign(name: string, value: string): void {
    this.state.variables.set(name, value);
  }

  /** Ctrl-C while a command runs: ends its processes, and the command with them. */
  interrupt(): void {
    this.#interrupted = true;
    this.#relay("SIGINT");
  }

  /** Runs `script` when the signal comes; see {@link Traps.set}. */
  trap(signal: string, script: string | undefined): void {
    this.#traps.set(signal, script);
  }

  /** Waits for the processes in the background; a trapped signal ends the wait. */
  async waitForJobs(pid: number | undefined): Promise<number> {
    const jobs = [...this.#background.values()].filter((job) => pid === undefined || job.pid === pid);
    const codes = Promise.all(jobs.map(({ done }) => done));
    const ended = await Promise.race([codes, this.#traps.nextSignal()]);
    if (ended === undefined) return 128 + signalNumber("SIGTERM");
    return pid === undefined ? 0 : (ended[0] ?? NOT_FOUND);
  }

  /** Runs a whole script to its end. Throws what leaves the shell, and a CommandError where `caller` nests scripts too deeply. */
  async runScript(text: string, streams: ShellStreams, caller?: string): Promise<number> {
    if (this.nested >= MOST_NESTED)
      throw new CommandError(
        `${caller === undefined ? "" : `${caller}: `}maximum nesting level exceeded (${MOST_NESTED})`,
      );
    const { held } = this.#memory;
    const outer = this.#scriptBytes;
    this.nested += 1;
    try {
      this.take(RUN_BYTES + text.length);
      const command = await this.#parse(text);
      this.#scriptBytes = this.#memory.held - held;
      return await this.run(command, streams);
    } finally {
      this.nested -= 1;
      this.#scriptBytes = outer;
      this.#memory.giveBackTo(held);
    }
  }

  /** A script as commands, which are held until the command has ended that runs now. Throws a ShellSyntaxError. */
  #parse(text: string): Promise<Command> {
    return this.inSlices(parseScript(text, (bytes) => this.take(bytes)));
  }

  /** Runs lines of the shell's input; false where more lines may make them a command. */
  async runLine(text: string, streams: ShellStreams): Promise<boolean> {
    const { held } = this.#memory;
    try {
      this.take(text.length);
      const command = await this.#completeCommand(text);
      if (command === undefined) return false;
      this.#scriptBytes = this.#memory.held - held;
      await this.run(command, streams);
      return true;
    } finally {
      this.#memory.giveBackTo(held);
    }
  }

  async #completeCommand(text: string): Promise<Command | undefined> {
    try {
      return await this.#parse(text);
    } catch (error) {
      if (error instanceof ShellSyntaxError && error.incomplete) return undefined;
      throw error;
    }
  }

  /** The exit code of a shell that ran `body`, with its EXIT trap. */
  async untilExit(streams: ShellStreams, body: () => Promise<number>): Promise<number> {
    const code = await exitCodeOf(body);
    const last = this.#traps.takeExit();
    if (last === undefined) return code;
    this.state.status = code;
    return exitCodeOf(async () => {
      await this.runScript(last, streams);
      return code;
    });
  }

  async run(command: Command, streams: ShellStreams, tested = false): Promise<number> {
    this.io.signal.throwIfAborted();
    if (streams.isBroken?.() === true) throw new BrokenPipeError();
    if (sliceIsSpent()) await giveWay(this.io);
    const code = await this.#dispatch(command, streams, tested);
    this.state.status = code;
    if (!this.#isInTrap) await this.#runTraps(streams);
    if (this.#interrupted) {
      this.#interrupted = false;
      if (this.interactive) throw new Interrupted();
    }
    const checked = command.kind === "simple" || command.kind === "pipeline" || command.kind === "subshell";
    if (code !== 0 && this.state.exitsOnError && !tested && checked) throw new ExitShell(code);
    return code;
  }

  /** A signal that comes while its script runs has its script run once more, behind it. */
  async #runTraps(streams: ShellStreams): Promise<void> {
    let script = this.#traps.takePending();
    if (script === undefined) return;
    const { status } = this.state;
    this.#isInTrap = true;
    try {
      for (; script !== undefined; script = this.#traps.takePending()) await this.runScript(script, streams);
    } finally {
      this.#isInTrap = false;
    }
    this.state.status = status;
  }

  async #dispatch(command: Command, streams: ShellStreams, tested: boolean): Promise<number> {
    switch (command.kind) {
      case "simple":
        return this.#simple(command, streams);
      case "list": {
        let code = 0;
        for (const one of command.commands) code = await this.run(one, streams, tested);
        return code;
      }
      case "and-or":
        return this.#andOr(command, streams, tested);
      case "pipeline":
        return this.#forking(streams, () => runPipeline(this, command, streams, tested));
      case "background":
        return this.#forking(streams, async () => this.#inBackground(command.command, streams));
      case "subshell":
      case "group":
      case "if":
      case "while":
      case "for":
      case "case":
        return this.#forking(streams, () =>
          redirected(command.redirects, streams, this, (inner) => runCompound(this, command, inner, tested)),
        );
    }
  }

  async #andOr({ first, rest }: AndOrList, streams: ShellStreams, tested: boolean): Promise<number> {
    const isLast = (index: number): boolean => index === rest.length - 1;
    let code = await this.run(first, streams, true);
    for (const [index, { after, command }] of rest.entries()) {
      if ((code === 0) === (after === "success")) code = await this.run(command, streams, tested || !isLast(index));
    }
    return code;
  }

  /** Where the shell cannot fork it says so, and ends, unless somebody sits at it. */
  async #forking(streams: ShellStreams, body: () => Promise<number>): Promise<number> {
    try {
      return await body();
    } catch (error) {
      if (!(error instanceof ForkError)) throw error;
      await this.complain(`can't fork: ${error.message}`, streams, this.#line);
      if (!this.interactive) throw new ExitShell(CANNOT_FORK);
      return CANNOT_FORK;
    }
  }

  #inBackground(command: Command, streams: ShellStreams): number {
    const end = this.io.container.fork();
    const stdin = new BytePipe();
    stdin.end();
    const inner = { ...streams, stdin };
    // Its pid is made up where the shell runs it itself.
    const job: Job = { pid: this.io.pid * 1000 + (this.#jobs += 1), done: Promise.resolve(0), hasEnded: false };
    job.done = this.subshell(inner, (shell) => shell.run(command, inner), end)
      .catch(() => 1)
      .finally(() => this.#jobEnded(job));
    this.#background.set(job.pid, job);
    this.#lastJob = job.pid;
    return 0;
  }

  #jobEnded(job: Job): void {
    job.hasEnded = true;
    if (this.#background.size <= MOST_ENDED_JOBS) return;
    for (const [pid, { hasEnded }] of this.#background) if (hasEnded) return void this.#background.delete(pid);
  }

  /** Runs in a copy of the shell's state. `end` is called when it is over: it gives back the place of a process. Throws a {@link ForkError}. */
  async subshell(
    streams: ShellStreams,
    body: (shell: Shell) => Promise<number>,
    end = this.io.container.fork(),
  ): Promise<number> {
    const own = new MemoryShare(this.io.memory);
    const relay: ChildProcess = { pid: 0, exited: Promise.resolve(0), signal: (name) => relaySignal(name) };
    let relaySignal = (_name: string): void => {};
    let dispose = (): void => {};
    // Ctrl-C reaches the processes of subshells through their parent.
    this.#running.add(relay);
    try {
      // A command in the background may live longer than the script that it is of.
      own.take(SUBSHELL_BYTES + this.#scriptBytes);
      const state = {
        ...this.state,
        variables: new Variables(this.state.variables, own),
        exported: new Set(this.state.exported),
      };
      const io: ProgramIo = { ...this.io, memory: own, files: this.io.files };
      const shell = new Shell(io, state, this.name, false, this.nested);
      shell.#line = this.#line;
      relaySignal = (name) => shell.#relay(name);
      dispose = () => shell.#traps.dispose();
      return await shell.untilExit(streams, () => body(shell));
    } catch (error) {
      if (error instanceof BrokenPipeError) return BROKEN_PIPE;
      if (error instanceof LeaveLoop) return 0;
      throw error;
    } finally {
      this.#running.delete(relay);
      dispose();
      own.release();
      end();
    }
  }

  #relay(signal: string): void {
    for (const child of this.#running) child.signal(signal);
  }

  async #simple(command: SimpleCommand, streams: ShellStreams): Promise<number> {
    const { held } = this.#memory;
    this.#line = command.line;
    try {
      const words = await expandWords(command.words, this);
      return await redirected(command.redirects, streams, this, (inner) => this.#call(command, words, inner));
    } catch (error) {
      if (error instanceof ForkError) return this.#forking(streams, () => Promise.reject(error));
      const failure = failureOf(error);
      if (failure === undefined) throw error;
      await this.complain(failure.message, streams, command.line);
      // A script cannot go on where a shell could not make sense of it.
      if (!this.interactive && error instanceof UnsetParameterError) throw new ExitShell(failure.code);
      return failure.code;
    } finally {
      this.#memory.giveBackTo(held);
    }
  }

  async #call(command: SimpleCommand, words: readonly string[], streams: ShellStreams): Promise<number> {
    const [name] = words;
    const assigned: [string, string][] = [];
    for (const { name: variable, value } of command.assignments) {
      assigned.push([variable, await expandWord(value, this)]);
      if (name === undefined) this.assign(variable, assigned.at(-1)?.[1] ?? "");
    }
    // What $(...) ended with is the code of a command that is nothing but assignments.
    if (name === undefined)
      return command.assignments.some(({ value }) => value.some(({ kind }) => kind === "command"))
        ? this.state.status
        : 0;
    const builtin = BUILTINS[name];
    if (builtin !== undefined) {
      for (const [variable, value] of assigned) this.assign(variable, value);
      return builtin({ shell: this, args: words.slice(1), streams, line: command.line });
    }
    const env = { ...this.environment, ...Object.fromEntries(assigned) };
    return this.spawn(words.map(detached), streams, env, command.line);
  }

  /** Runs a program of the container and resolves with its exit code. */
  async spawn(
    argv: readonly string[],
    streams: ShellStreams,
    env: Readonly<Record<string, string>>,
    line: number,
  ): Promise<number> {
    const { stdin, stdout, stderr } = streams;
    let child: ChildProcess;
    try {
      child = this.io.spawn(argv, { ...(stdin && { stdin }), stdout, stderr, env, cwd: this.cwd });
    } catch (error) {
      if (!(error instanceof ExecError)) throw error;
      await this.complain(`${argv[0] ?? ""}: ${EXEC_PROBLEMS[error.kind]}`, streams, line);
      return error.kind === "not-found" ? NOT_FOUND : NOT_EXECUTABLE;
    }
    this.#running.add(child);
    try {
      return await child.exited;
    } finally {
      this.#running.delete(child);
    }
  }

  async complain(message: string, streams: ShellStreams, line: number): Promise<void> {
    await streams.stderr(Buffer.from(`${this.name}: ${line}: ${message}\n`), this.io.signal);
  }

  /** What `$(script)` stands for. Its programs find the pipe closed once they have written more than a shell holds. */
  async output(script: string): Promise<string> {
    const value = new GrowingValue((bytes) => this.take(bytes));
    let fits = true;
    const streams: ShellStreams = {
      stdin: undefined,
      async stdout(chunk) {
        fits &&= value.add(chunk);
        if (!fits) throw new BrokenPipeError();
      },
      isBroken: () => !fits,
      stderr: (chunk, signal) => this.errors(chunk, signal),
    };
    this.state.status = await this.subshell(streams, (shell) => shell.runScript(script, streams));
    if (!fits) throw outOfSpace();
    return value.toString();
  }

  /** Where the errors of $(...) go: the shell's own stderr. */
  errors: OutputTarget = (chunk) => this.io.stderr.write(chunk);
}

/** Values without what they were cut out of, and what they take. */
function* ownValues(values: readonly string[]): Steps<{ readonly bytes: number; readonly own: readonly string[] }> {
  const pace = new Pace();
  const own: string[] = [];
  let bytes = 0;
  for (const value of values) {
    if (pace.isDue()) yield;
    bytes += POSITIONAL_BYTES + value.length;
    own.push(detached(value));
  }
  return { bytes, own };
}

async function exitCodeOf(body: () => Promise<number>): Promise<number> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof ExitShell) return error.code;
    throw error;
  }
}

function failureOf(error: unknown): { readonly message: string; readonly code: number } | undefined {
  if (error instanceof CommandError) return error;
  if (error instanceof ArithmeticError || error instanceof UnsetParameterError)
    return { message: error.message, code: 2 };
  return undefined;
}

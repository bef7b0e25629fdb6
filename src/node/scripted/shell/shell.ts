import { nextSlice, sliceIsSpent } from "../../../base/time-slice.js";
import { BrokenPipeError, BytePipe } from "../../byte-pipe.js";
import { type ChildProcess, ExecError, type OutputTarget, type ProgramIo } from "../program.js";
import { signalNumber } from "../signals.js";
import { ArithmeticError } from "./arithmetic.js";
import { BUILTINS } from "./builtins.js";
import { runCompound } from "./compound.js";
import { CommandError, ExitShell, Interrupted, LeaveLoop } from "./control-flow.js";
import { expandWord, expandWords, type ExpansionScope, UnsetParameterError } from "./expand.js";
import { GrowingValue, outOfSpace } from "./growing-value.js";
import { parseScript } from "./parse.js";
import { runPipeline } from "./pipeline.js";
import { redirected } from "./redirect.js";
import { copyOf, type ShellState, type ShellStreams } from "./shell-state.js";
import type { Command, SimpleCommand } from "./syntax.js";
import { Traps } from "./traps.js";

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const BROKEN_PIPE = 141;

/** Runs parsed commands. Its builtins run inside it, all else as processes of the container. */
export class Shell implements ExpansionScope {
  readonly #running = new Set<ChildProcess>();
  readonly #background: { readonly pid: number; readonly done: Promise<number> }[] = [];
  readonly #traps: Traps;
  #interrupted = false;
  #jobs = 0;

  constructor(
    readonly io: ProgramIo,
    readonly state: ShellState,
    readonly name: string,
    readonly interactive: boolean,
  ) {
    this.#traps = new Traps(io);
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

  parameter(name: string): string | undefined {
    const { positional, status, variables } = this.state;
    if (name === "?") return String(status);
    if (name === "$") return String(this.io.pid);
    if (name === "#") return String(positional.length);
    if (name === "!") return this.#background.at(-1)?.pid.toString();
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
    const jobs = this.#background.filter((job) => pid === undefined || job.pid === pid);
    const codes = Promise.all(jobs.map(({ done }) => done));
    const ended = await Promise.race([codes, this.#traps.nextSignal()]);
    if (ended === undefined) return 128 + signalNumber("SIGTERM");
    return pid === undefined ? 0 : (ended[0] ?? NOT_FOUND);
  }

  /** Runs a whole script to its end. Throws what leaves the shell. */
  async runScript(text: string, streams: ShellStreams): Promise<number> {
    return this.run(parseScript(text), streams);
  }

  /** The exit code of a shell that ran `body`, with its EXIT trap. */
  async untilExit(streams: ShellStreams, body: () => Promise<number>): Promise<number> {
    let code: number;
    try {
      code = await body();
    } catch (error) {
      if (!(error instanceof ExitShell)) throw error;
      code = error.code;
    }
    const last = this.#traps.takeExit();
    if (last === undefined) return code;
    this.state.status = code;
    return this.untilExit(streams, async () => {
      await this.runScript(last, streams);
      return code;
    });
  }

  async run(command: Command, streams: ShellStreams, tested = false): Promise<number> {
    this.io.signal.throwIfAborted();
    if (streams.isBroken?.() === true) throw new BrokenPipeError();
    if (sliceIsSpent()) await nextSlice();
    const code = await this.#dispatch(command, streams, tested);
    this.state.status = code;
    await this.#runTraps(streams);
    if (this.#interrupted) {
      this.#interrupted = false;
      if (this.interactive) throw new Interrupted();
    }
    const checked = command.kind === "simple" || command.kind === "pipeline" || command.kind === "subshell";
    if (code !== 0 && this.state.exitsOnError && !tested && checked) throw new ExitShell(code);
    return code;
  }

  async #runTraps(streams: ShellStreams): Promise<void> {
    const { status } = this.state;
    for (const script of this.#traps.takePending()) await this.runScript(script, streams);
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
      case "and":
      case "or": {
        const code = await this.run(command.left, streams, true);
        return (code === 0) === (command.kind === "and") ? this.run(command.right, streams, tested) : code;
      }
      case "pipeline":
        return runPipeline(this, command, streams, tested);
      case "background":
        return this.#inBackground(command.command, streams);
      case "subshell":
      case "group":
      case "if":
      case "while":
      case "for":
      case "case":
        return redirected(command.redirects, streams, this, (inner) => runCompound(this, command, inner, tested));
    }
  }

  #inBackground(command: Command, streams: ShellStreams): number {
    const stdin = new BytePipe();
    stdin.end();
    const inner = { ...streams, stdin };
    // Its pid is made up where the shell runs it itself.
    const job = { pid: this.io.pid * 1000 + (this.#jobs += 1), done: Promise.resolve(0) };
    job.done = this.subshell(inner, (shell) => shell.run(command, inner)).catch(() => 1);
    this.#background.push(job);
    return 0;
  }

  /** Runs in a copy of the shell's state. */
  async subshell(streams: ShellStreams, body: (shell: Shell) => Promise<number>): Promise<number> {
    const shell = new Shell(this.io, copyOf(this.state), this.name, false);
    // Ctrl-C reaches the processes of subshells through their parent.
    const relay: ChildProcess = { pid: 0, exited: Promise.resolve(0), signal: (name) => shell.#relay(name) };
    this.#running.add(relay);
    try {
      return await shell.untilExit(streams, () => body(shell));
    } catch (error) {
      if (error instanceof BrokenPipeError) return BROKEN_PIPE;
      if (error instanceof LeaveLoop) return 0;
      throw error;
    } finally {
      this.#running.delete(relay);
    }
  }

  #relay(signal: string): void {
    for (const child of this.#running) child.signal(signal);
  }

  async #simple(command: SimpleCommand, streams: ShellStreams): Promise<number> {
    try {
      const words = await expandWords(command.words, this);
      return await redirected(command.redirects, streams, this, (inner) => this.#call(command, words, inner));
    } catch (error) {
      const failure = failureOf(error);
      if (failure === undefined) throw error;
      await this.complain(failure.message, streams, command.line);
      // A script cannot go on where a shell could not make sense of it.
      if (!this.interactive && error instanceof UnsetParameterError) throw new ExitShell(failure.code);
      return failure.code;
    }
  }

  async #call(command: SimpleCommand, [name, ...args]: readonly string[], streams: ShellStreams): Promise<number> {
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
      return builtin({ shell: this, args, streams, line: command.line });
    }
    return this.spawn([name, ...args], streams, { ...this.environment, ...Object.fromEntries(assigned) }, command.line);
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
      const missing = error.kind === "not-found";
      await this.complain(`${argv[0] ?? ""}: ${missing ? "not found" : "Permission denied"}`, streams, line);
      return missing ? NOT_FOUND : NOT_EXECUTABLE;
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
    const value = new GrowingValue();
    let fits = true;
    const streams: ShellStreams = {
      stdin: undefined,
      async stdout(chunk) {
        fits &&= value.add(Buffer.copyBytesFrom(chunk));
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

function failureOf(error: unknown): { readonly message: string; readonly code: number } | undefined {
  if (error instanceof CommandError) return error;
  if (error instanceof ArithmeticError || error instanceof UnsetParameterError)
    return { message: error.message, code: 2 };
  return undefined;
}

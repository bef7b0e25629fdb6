import { nextSlice, sliceIsSpent } from "../../../base/time-slice.js";
import { BrokenPipeError, BytePipe } from "../../byte-pipe.js";
import { FileError } from "../files/file-error.js";
import { absolute } from "../files/file-system.js";
import { type ChildProcess, ExecError, type OutputTarget, type ProgramIo } from "../program.js";
import { signalNumber } from "../signals.js";
import { ArithmeticError } from "./arithmetic.js";
import { BUILTINS } from "./builtins.js";
import { CommandError, ExitShell, Interrupted, LeaveLoop } from "./control-flow.js";
import { expandPattern, expandWord, expandWords, type ExpansionScope, UnsetParameterError } from "./expand.js";
import { patternOf } from "./glob.js";
import { parseScript } from "./parse.js";
import type { Command, CompoundCommand, Redirect, SimpleCommand } from "./syntax.js";

/** Where a command of a shell reads and writes. */
export interface ShellStreams {
  readonly stdin: BytePipe | undefined;
  readonly stdout: OutputTarget;
  readonly stderr: OutputTarget;
}

/** What a subshell has a copy of. */
interface ShellState {
  readonly variables: Map<string, string>;
  readonly exported: Set<string>;
  positional: readonly string[];
  cwd: string;
  status: number;
  exitsOnError: boolean;
}

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const BROKEN_PIPE = 141;

/** Runs parsed commands. Its builtins run inside it, all else as processes of the container. */
export class Shell implements ExpansionScope {
  readonly #running = new Set<ChildProcess>();
  readonly #background: { readonly pid: number; readonly done: Promise<number> }[] = [];
  readonly #traps = new Map<string, string>();
  #pending: string[] = [];
  #wakeWait = (): void => {};
  #interrupted = false;
  #jobs = 0;

  constructor(
    readonly io: ProgramIo,
    readonly state: ShellState,
    readonly name: string,
    readonly interactive: boolean,
  ) {}

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

  /** Runs `script` when the signal comes, after the command that runs then. "" ignores it; undefined restores the default. */
  readonly #untrap = new Map<string, () => void>();
  trap(signal: string, script: string | undefined): void {
    this.#untrap.get(signal)?.();
    this.#traps.delete(signal);
    if (script === undefined) return;
    this.#traps.set(signal, script);
    if (signal === "EXIT") return;
    const remove = this.io.onSignal(signal, () => {
      if (script !== "") this.#pending.push(script);
      this.#wakeWait();
    });
    this.#untrap.set(signal, remove);
  }

  /** Waits for the processes in the background; a trapped signal ends the wait. */
  async waitForJobs(pid: number | undefined): Promise<number> {
    const jobs = this.#background.filter((job) => pid === undefined || job.pid === pid);
    const codes = Promise.all(jobs.map(({ done }) => done));
    const woken = new Promise<undefined>((resolve) => (this.#wakeWait = () => resolve(undefined)));
    const ended = await Promise.race([codes, woken]);
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
    const last = this.#traps.get("EXIT");
    this.#traps.delete("EXIT");
    if (last === undefined) return code;
    this.state.status = code;
    return this.untilExit(streams, async () => {
      await this.runScript(last, streams);
      return code;
    });
  }

  async run(command: Command, streams: ShellStreams, tested = false): Promise<number> {
    this.io.signal.throwIfAborted();
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
    const scripts = this.#pending;
    this.#pending = [];
    const { status } = this.state;
    for (const script of scripts) await this.runScript(script, streams);
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
        return this.#pipeline(command, streams, tested);
      case "background":
        return this.#inBackground(command.command, streams);
      case "subshell":
      case "group":
      case "if":
      case "while":
      case "for":
      case "case":
        return this.#redirected(command.redirects, streams, (inner) => this.#compound(command, inner, tested));
    }
  }

  async #compound(command: CompoundCommand, streams: ShellStreams, tested: boolean): Promise<number> {
    switch (command.kind) {
      case "group":
        return this.run(command.body, streams, tested);
      case "subshell":
        return this.#subshell(streams, (shell) => shell.run(command.body, streams));
      case "if":
        for (const { test, body } of command.branches) {
          if ((await this.run(test, streams, true)) === 0) return this.run(body, streams, tested);
        }
        return command.otherwise === undefined ? 0 : this.run(command.otherwise, streams, tested);
      case "while": {
        let code = 0;
        while (((await this.run(command.test, streams, true)) === 0) !== command.until) {
          const left = await this.#iteration(command.body, streams, tested);
          if (left.stop) return left.code;
          code = left.code;
        }
        return code;
      }
      case "for": {
        const values = command.words === undefined ? this.positional : await expandWords(command.words, this);
        let code = 0;
        for (const value of values) {
          this.assign(command.name, value);
          const left = await this.#iteration(command.body, streams, tested);
          if (left.stop) return left.code;
          code = left.code;
        }
        return code;
      }
      case "case": {
        const subject = await expandWord(command.subject, this);
        for (const { patterns, body } of command.branches) {
          for (const pattern of patterns) {
            if (patternOf(await expandPattern(pattern, this)).test(subject)) return this.run(body, streams, tested);
          }
        }
        return 0;
      }
    }
  }

  async #iteration(body: Command, streams: ShellStreams, tested: boolean): Promise<{ code: number; stop: boolean }> {
    try {
      return { code: await this.run(body, streams, tested), stop: false };
    } catch (error) {
      if (!(error instanceof LeaveLoop)) throw error;
      if (error.loops > 1) throw new LeaveLoop(error.kind, error.loops - 1);
      return { code: 0, stop: error.kind === "break" };
    }
  }

  async #pipeline(
    { stages, negated }: Extract<Command, { kind: "pipeline" }>,
    streams: ShellStreams,
    tested: boolean,
  ): Promise<number> {
    const [only] = stages;
    let code: number;
    if (stages.length === 1 && only !== undefined) code = await this.run(only, streams, tested || negated);
    else {
      const pipes = stages.slice(1).map(() => new BytePipe());
      const codes = await Promise.all(
        stages.map(async (stage, index) => {
          const [input, output] = [pipes[index - 1], pipes[index]];
          const inner: ShellStreams = {
            stdin: input ?? streams.stdin,
            stdout: output === undefined ? streams.stdout : (chunk, signal) => output.write(chunk, signal),
            stderr: streams.stderr,
          };
          try {
            return await this.#subshell(inner, (shell) => shell.run(stage, inner));
          } finally {
            output?.end();
            input?.destroy();
          }
        }),
      );
      code = codes.at(-1) ?? 0;
    }
    return negated ? Number(code === 0) : code;
  }

  #inBackground(command: Command, streams: ShellStreams): number {
    const stdin = new BytePipe();
    stdin.end();
    const inner = { ...streams, stdin };
    // Its pid is made up where the shell runs it itself.
    const job = { pid: this.io.pid * 1000 + (this.#jobs += 1), done: Promise.resolve(0) };
    job.done = this.#subshell(inner, (shell) => shell.run(command, inner)).catch(() => 1);
    this.#background.push(job);
    return 0;
  }

  /** Runs in a copy of the shell's state. */
  async #subshell(streams: ShellStreams, body: (shell: Shell) => Promise<number>): Promise<number> {
    const { state } = this;
    const copy = { ...state, variables: new Map(state.variables), exported: new Set(state.exported) };
    const shell = new Shell(this.io, copy, this.name, false);
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
      return await this.#redirected(command.redirects, streams, (inner) => this.#call(command, words, inner));
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

  async output(script: string): Promise<string> {
    const chunks: Uint8Array[] = [];
    const streams: ShellStreams = {
      stdin: undefined,
      stdout: async (chunk) => void chunks.push(Buffer.copyBytesFrom(chunk)),
      stderr: (chunk, signal) => this.errors(chunk, signal),
    };
    this.state.status = await this.#subshell(streams, (shell) => shell.runScript(script, streams));
    return Buffer.concat(chunks).toString("utf8");
  }

  /** Where the errors of $(...) go: the shell's own stderr. */
  errors: OutputTarget = (chunk) => this.io.stderr.write(chunk);

  /** Runs `body` with streams that the redirections change. */
  async #redirected(
    redirects: readonly Redirect[],
    streams: ShellStreams,
    body: (streams: ShellStreams) => Promise<number>,
  ): Promise<number> {
    let inner = streams;
    const opened: BytePipe[] = [];
    for (const redirect of redirects) inner = await this.#redirect(redirect, inner, opened);
    try {
      return await body(inner);
    } finally {
      for (const pipe of opened) pipe.destroy();
    }
  }

  async #redirect(redirect: Redirect, streams: ShellStreams, opened: BytePipe[]): Promise<ShellStreams> {
    const target = await expandWord(redirect.target, this);
    const { descriptor, operator } = redirect;
    if (operator === ">&" || operator === "<&") {
      if (target === "1" || target === "2")
        return withOutput(streams, descriptor, target === "1" ? streams.stdout : streams.stderr);
      throw new CommandError(`${target}: bad fd number`);
    }
    const path = absolute(this.cwd, target);
    if (operator === "<") {
      const stdin = new BytePipe();
      this.#checkReadable(path, target);
      opened.push(stdin);
      void pour(this.files.read(path), stdin);
      return { ...streams, stdin };
    }
    try {
      const writer = this.files.open(path, { append: operator === ">>" });
      return withOutput(streams, descriptor, (chunk) => writer.write(chunk));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      const reason = error.code === "ENOENT" ? "Directory nonexistent" : error.message;
      throw new CommandError(`cannot create ${target}: ${reason}`);
    }
  }

  #checkReadable(path: string, target: string): void {
    const node = this.files.look(path);
    if (node === undefined) throw new CommandError(`cannot open ${target}: No such file`);
    if (node.kind === "directory") throw new CommandError(`cannot open ${target}: Is a directory`);
  }
}

async function pour(chunks: AsyncIterable<Uint8Array>, pipe: BytePipe): Promise<void> {
  try {
    for await (const chunk of chunks) await pipe.write(chunk);
    pipe.end();
  } catch {
    // The command reads no more.
    pipe.end();
  }
}

const withOutput = (streams: ShellStreams, descriptor: number, output: OutputTarget): ShellStreams =>
  descriptor === 2 ? { ...streams, stderr: output } : { ...streams, stdout: output };

function failureOf(error: unknown): { readonly message: string; readonly code: number } | undefined {
  if (error instanceof CommandError) return error;
  if (error instanceof ArithmeticError || error instanceof UnsetParameterError)
    return { message: error.message, code: 2 };
  return undefined;
}

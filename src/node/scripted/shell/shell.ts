import { sliceIsSpent } from "../../../base/async/time-slice.js";
import { BrokenPipeError, BytePipe } from "../../byte-pipe.js";
import { FileError } from "../files/file-error.js";
import { absolute } from "../files/file-system.js";
import { ForkError } from "../limits/errors.js";
import { MemoryShare } from "../limits/memory-share.js";
import { type ChildProcess, ExecError, type OutputTarget, type ProgramIo } from "../program.js";
import { isIgnoredByDefault } from "../signals.js";
import { giveWay } from "../slices.js";
import { runCompound } from "./compound.js";
import { CommandError, ExitShell, Interrupted, LeaveLoop, ReturnFromScript } from "./control-flow.js";
import { expandWord } from "./expansion/expand.js";
import { GrowingValue, LARGEST_VALUE, outOfSpace } from "./expansion/growing-value.js";
import { type JobScope, runPipeline } from "./jobs.js";
import { ProcessSubstitutions } from "./process-substitution.js";
import { redirected, type RedirectScope } from "./redirect.js";
import type { ShellCall } from "./shell-scope.js";
import type { ShellState, ShellStreams } from "./shell-state.js";
import { runSimple } from "./simple-command.js";
import type { AndOrList, Command, ProcessPart } from "./parse/syntax.js";
import { Traps } from "./traps.js";
import { aliasBytes, ScriptShell } from "./shell-scripts.js";

const EXEC_PROBLEMS = {
  "not-found": "not found",
  "not-executable": "Permission denied",
  "too-long": "Argument list too long",
} as const;

const NOT_FOUND = 127;

const NOT_EXECUTABLE = 126;

const BROKEN_PIPE = 141;

const CANNOT_FORK = 2;

/** What a subshell takes beside its variables, in bytes. */
const SUBSHELL_BYTES = 8 * 1024;

/** Runs parsed commands: builtins in the shell itself, others as processes of the container. */
export class Shell extends ScriptShell implements RedirectScope {
  readonly #running = new Set<ChildProcess>();
  readonly #traps: Traps;
  #interrupted = false;
  #isInTrap = false;
  /** Where the command that runs now reads and writes: $(...) in its words reads there too, and its errors go there. */
  #streams: ShellStreams | undefined;
  /** How many $(...) have run. */
  substitutions = 0;
  readonly processes = new ProcessSubstitutions(this);
  /** The bytes of inputs that `exec` has opened, by their descriptors. */
  readonly #inputs = new Map<number, number>();

  constructor(
    io: ProgramIo,
    state: ShellState,
    call: ShellCall,
    nested = 0,
    /** The memory of the shell's process, which a job in a subshell takes of: it may live longer than the subshell. */
    private readonly processMemory = io.memory,
  ) {
    super(io, state, call, nested);
    this.#traps = new Traps(io);
  }

  /** Where the command that runs now reads and writes. */
  get streams(): ShellStreams | undefined {
    return this.#streams;
  }

  get traps(): ReadonlyMap<string, string> {
    return this.#traps.scripts;
  }

  /** Counts what an input holds that `exec` has opened, until another takes its descriptor. */
  holdInput(descriptor: number, bytes: number): void {
    this.io.memory.give(this.#inputs.get(descriptor) ?? 0);
    this.#inputs.set(descriptor, bytes);
  }

  /** Ctrl-C while a command runs: ends its processes, and the command with them. */
  interrupt(): void {
    this.#interrupted = true;
    this.relay("SIGINT");
  }

  /** Runs `script` when the signal comes; see {@link Traps.set}. */
  trap(signal: string, script: string | undefined): void {
    this.#traps.set(signal, script);
  }

  /** Resolves with the name of a trapped signal when one comes. */
  nextSignal(): Promise<string> {
    return this.#traps.nextSignal();
  }

  /** The exit code of a shell that ran `body`, with its EXIT trap. */
  async untilExit(streams: ShellStreams, body: () => Promise<number>): Promise<number> {
    const code = await this.#untilTrap(streams, await exitCodeOf(body));
    await this.processes.end();
    return code;
  }

  async #untilTrap(streams: ShellStreams, code: number): Promise<number> {
    const last = this.#traps.takeExit();
    if (last === undefined) return code;
    this.state.status = code;
    return exitCodeOf(async () => {
      await this.runScript(last, streams);
      return code;
    });
  }

  override async run(command: Command, streams: ShellStreams, tested = false): Promise<number> {
    this.io.signal.throwIfAborted();
    if (streams.isBroken?.() === true) throw new BrokenPipeError();
    if (sliceIsSpent()) await giveWay(this.io);
    this.#streams = streams;
    const code = await this.#dispatch(command, streams, tested);
    this.#streams = streams;
    this.state.status = code;
    if (isChecked(command) && command.kind !== "pipeline") this.state.pipeStatus = [code];
    if (!this.#isInTrap) await this.#runTraps(streams);
    if (this.#interrupted) {
      this.#interrupted = false;
      if (this.interactive) throw new Interrupted();
    }
    if (code !== 0 && !tested && isChecked(command)) await this.#failed(code, streams);
    return code;
  }

  /** A command has failed whose code nothing looks at: the ERR trap runs, and with set -e the shell ends. */
  async #failed(code: number, streams: ShellStreams): Promise<void> {
    const script = this.#traps.scripts.get("ERR");
    if (script !== undefined && !this.#isInTrap) await this.#inTrap(() => this.runScript(script, streams));
    this.state.status = code;
    if (this.state.options.has("errexit")) throw new ExitShell(code);
  }

  /** A signal that comes while its script runs has its script run once more, behind it. */
  async #runTraps(streams: ShellStreams): Promise<void> {
    let script = this.#traps.takePending();
    if (script === undefined) return;
    const { status } = this.state;
    await this.#inTrap(async () => {
      for (; script !== undefined; script = this.#traps.takePending()) await this.runScript(script, streams);
    });
    this.state.status = status;
  }

  async #inTrap(body: () => Promise<unknown>): Promise<void> {
    this.#isInTrap = true;
    try {
      await body();
    } finally {
      this.#isInTrap = false;
    }
  }

  async #dispatch(command: Command, streams: ShellStreams, tested: boolean): Promise<number> {
    switch (command.kind) {
      case "simple":
        return runSimple(this, command, streams, tested);
      case "list": {
        let code = 0;
        for (const one of command.commands) code = await this.run(one, streams, tested);
        return code;
      }
      case "and-or":
        return this.#andOr(command, streams, tested);
      case "function":
        return this.define(command);
      case "pipeline":
        return this.forking(streams, () => runPipeline(this, command, streams));
      case "background":
        return this.forking(streams, async () => this.#inBackground(command.command, streams));
      case "coprocess":
        return this.forking(streams, async () => this.processes.startCoprocess(command, streams));
      case "subshell":
      case "group":
      case "if":
      case "while":
      case "for":
      case "select":
      case "counting":
      case "case":
      case "condition":
      case "arithmetic":
        return this.forking(streams, () => this.#compound(command, streams, tested));
    }
  }

  async #compound(command: Parameters<typeof runCompound>[1], streams: ShellStreams, tested: boolean): Promise<number> {
    const { held } = this;
    const { open } = this.processes;
    try {
      return await redirected(command.redirects, streams, this, (inner) => runCompound(this, command, inner, tested));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      // Its own redirections, or what it expands.
      await this.complain(error.message, streams, this.line);
      return error.code;
    } finally {
      this.giveBackTo(held);
      this.processes.closeTo(open);
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
  async forking(streams: ShellStreams, body: () => Promise<number>): Promise<number> {
    try {
      return await body();
    } catch (error) {
      if (!(error instanceof ForkError)) throw error;
      await this.complain(`can't fork: ${error.message}`, streams, this.line);
      if (!this.interactive) throw new ExitShell(CANNOT_FORK);
      return CANNOT_FORK;
    }
  }

  #inBackground(command: Command, streams: ShellStreams): number {
    const end = this.io.container.fork();
    const stdin = new BytePipe();
    stdin.end();
    const inner = { ...streams, stdin };
    // What ( ) would fork for runs in the job itself: its traps are the job's.
    const body = (shell: Shell): Promise<number> =>
      command.kind === "subshell"
        ? redirected(command.redirects, inner, shell, (streams) => shell.run(command.body, streams))
        : shell.run(command, inner);
    this.jobs.start((job) => this.subshell(inner, body, end, job));
    return 0;
  }

  override processPath(part: ProcessPart): string {
    return this.processes.pathOf(part);
  }

  /** Runs in a copy of the shell's state. `end` is called when it is over: it gives back the place of a process. Throws a {@link ForkError}. */
  async subshell(
    streams: ShellStreams,
    body: (shell: Shell) => Promise<number>,
    end = this.io.container.fork(),
    job?: JobScope,
    traceDepth = 0,
  ): Promise<number> {
    const own = new MemoryShare(job === undefined ? this.io.memory : this.processMemory);
    const relay: ChildProcess = { pid: 0, exited: Promise.resolve(0), signal: (name) => relaySignal(name) };
    let relaySignal = (_name: string): void => {};
    let dispose = (): void => {};
    // Ctrl-C reaches the processes of subshells through their parent.
    this.#running.add(relay);
    try {
      // A command in the background may live longer than the script and the functions that it is of.
      own.take(SUBSHELL_BYTES + this.scriptBytes);
      const { state } = this;
      if (job !== undefined) {
        for (const { bytes } of state.functions.values()) own.take(bytes);
        for (const [name, value] of state.aliases) own.take(aliasBytes(name, value));
      }
      const copy: ShellState = {
        ...state,
        variables: state.variables.copy(own),
        exported: new Set(state.exported),
        constants: new Set(state.constants),
        functions: new Map(state.functions),
        aliases: new Map(state.aliases),
        options: new Set(state.options),
        shopts: new Set(state.shopts),
        scopes: state.scopes.length === 0 ? [] : [new Map()],
      };
      const io: ProgramIo = { ...this.io, memory: own, files: this.io.files, signal: job?.signal ?? this.io.signal };
      const call = { ...this.call, interactive: false, traceDepth: this.call.traceDepth + traceDepth };
      const shell = new Shell(io, copy, call, this.nested, this.processMemory);
      shell.line = this.line;
      shell.script = this.script;
      relaySignal = (name) => shell.relay(name);
      if (job !== undefined) job.receive = (name) => shell.#receive(name);
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

  /** A signal for a job. False where it ends the job: its programs have got it. */
  #receive(signal: string): boolean {
    if (signal !== "SIGKILL" && this.#traps.receive(signal)) return true;
    this.relay(signal);
    return isIgnoredByDefault(signal);
  }

  /** Passes a signal on to the programs that run. */
  relay(signal: string): void {
    for (const child of this.#running) child.signal(signal);
  }

  /** Runs a program of the container and resolves with its exit code. */
  async spawn(
    argv: readonly string[],
    streams: ShellStreams,
    env: Readonly<Record<string, string>>,
    line: number,
  ): Promise<number> {
    const { stdin, stdout, stderr } = streams;
    const place = { script: this.script, line };
    let child: ChildProcess;
    try {
      child = this.io.spawn(argv, { ...(stdin && { stdin }), stdout, stderr, env, cwd: this.cwd, place });
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

  /** What `$(commands)` stand for. Their programs find the pipe closed once they have written more than a shell holds. */
  async output(body: Command): Promise<string> {
    const read = await this.#contentOf(body);
    if (read !== undefined) return read;
    const value = new GrowingValue((bytes) => this.take(bytes));
    let fits = true;
    const { stdin, others, stderr = this.errors } = this.#streams ?? {};
    const streams: ShellStreams = {
      stdin,
      async stdout(chunk) {
        fits &&= value.add(chunk);
        if (!fits) throw new BrokenPipeError();
      },
      isBroken: () => !fits,
      stderr,
      ...(others && { others }),
    };
    this.substitutions += 1;
    this.state.status = await this.subshell(
      streams,
      (shell) => shell.#substitute(body, streams),
      undefined,
      undefined,
      1,
    );
    if (!fits) throw outOfSpace();
    return value.toString();
  }

  /** In bash set -e does not count in $(...), unless shopt says so. */
  #substitute(body: Command, streams: ShellStreams): Promise<number> {
    const { options, shopts } = this.state;
    if (this.call.isBash && !shopts.has("inherit_errexit")) options.delete("errexit");
    return this.run(body, streams);
  }

  /** The content of the file that $(<file) reads; undefined for all other commands. */
  async #contentOf(body: Command): Promise<string | undefined> {
    if (body.kind !== "simple" || body.words.length + body.assignments.length > 0) return undefined;
    const [only, ...others] = body.redirects;
    if (only?.operator !== "<" || only.descriptor !== 0 || others.length > 0) return undefined;
    const target = await expandWord(only.target, this);
    try {
      const content = await this.files.whole(absolute(this.cwd, target), LARGEST_VALUE);
      if (content === undefined) throw outOfSpace();
      this.take(content.length);
      this.substitutions += 1;
      this.state.status = 0;
      return content.toString("utf8");
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw new CommandError(`cannot open ${target}: No such file`);
    }
  }

  /** The stderr of the shell's process. */
  readonly errors: OutputTarget = (chunk) => this.io.stderr.write(chunk);
}

/** Whether the failure of a command ends a shell with set -e: that of a list is of the commands in it, and ! asks for one. */
function isChecked(command: Command): boolean {
  if (command.kind === "pipeline") return !command.negated;
  return CHECKED.has(command.kind);
}

const CHECKED: ReadonlySet<Command["kind"]> = new Set(["simple", "subshell", "condition", "arithmetic"]);

async function exitCodeOf(body: () => Promise<number>): Promise<number> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof ExitShell || error instanceof ReturnFromScript) return error.code;
    throw error;
  }
}

import type { Clock } from "../../base/time/clock.js";
import type { Timers } from "../../base/time/timers.js";
import { turn } from "../../base/async/turns.js";
import type { ContainerSpec, ProcessStreams, ResourceLimits } from "../container-runtime.js";
import { BytePipe } from "../byte-pipe.js";
import { Attachments } from "./attachments.js";
import { ContainerLog } from "./container-log.js";
import type { FileSpace } from "./files/file-store.js";
import { absolute, type FileSystem } from "./files/file-system.js";
import type { RegularNode } from "./files/node.js";
import { MissingError } from "./missing.js";
import { ContainerBudgets } from "./limits/container-budgets.js";
import type { ContainerMemory } from "./limits/memory-share.js";
import type { LimitedContainer, ServerLimits } from "./limits/server-limits.js";
import type { PodView } from "./network/container-network.js";
import type { PodPorts } from "./ports.js";
import { argumentBytes, Process, type ProcessExit, type ProcessSetup } from "./process.js";
import { lifeOf } from "./stand-in/stand-in.js";
import { type ContainerView, ExecError, type OutputTarget, type Program } from "./program.js";
import { Terminal } from "./terminal.js";

export interface ContainerParts {
  readonly spec: ContainerSpec;
  /** Makes the container's files, when a program begins that may read them. */
  readonly files: (space: FileSpace) => Promise<FileSystem>;
  /** What all containers of the process may use together. */
  readonly server: ServerLimits;
  /** Whether the image says how many bytes of files fit into the container. */
  readonly hasCapacity: boolean;
  readonly ports: PodPorts;
  readonly network: PodView;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** As Linux has it: how long one argument or variable may be, and all of them together, in bytes. */
const LONGEST_ARGUMENT = 128 * 1024;
export const MOST_ARGUMENTS = 2 * 1024 * 1024;

const NO_LIMITS: ResourceLimits = {};

/** How long a task polls what stands in, by the cluster's clock. */
const LONGEST_WAIT_MS = 30_000;
const MOST_AWAITED = 1000;

/** The exit of a container's main process. */
export interface MainExit extends ProcessExit {
  /** As the container's status has it. */
  readonly reason?: string;
  /** Why its pod is to be evicted. */
  readonly eviction?: string;
}

const FALLBACK_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** A container: its files, its log and its processes. The first process is its main one, with pid 1. */
export class Container implements ContainerView, LimitedContainer {
  readonly ports: PodPorts;
  readonly network: PodView;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly hostname: string;
  readonly log: ContainerLog;
  readonly #processes = new Map<number, Process>();
  readonly #attached: Attachments;
  readonly #budgets: ContainerBudgets;
  /** What stands in for a program that its scripts have called, with when that was first, in milliseconds since the epoch. */
  readonly #waiting = new Map<string, number>();
  #files: FileSystem | undefined;
  /** Whoever needs the files meanwhile waits for the same ones. */
  #opening: Promise<FileSystem> | undefined;
  /** Why it was ended from outside of its programs. */
  #end: Pick<MainExit, "reason" | "eviction"> = {};
  #pids = 0;
  #main: Process | undefined;

  constructor(private readonly parts: ContainerParts) {
    const { spec, ports, network, clock, timers } = parts;
    this.ports = ports;
    this.network = network;
    this.clock = clock;
    this.timers = timers;
    this.hostname = spec.pod.hostname;
    this.log = new ContainerLog(clock);
    this.#attached = new Attachments(spec, this.log);
    this.#budgets = new ContainerBudgets(this, parts.server, () => spec.limits?.() ?? NO_LIMITS, !parts.hasCapacity);
  }

  /** What its programs hold counts here. */
  get memory(): ContainerMemory {
    return this.#budgets;
  }

  get memoryBytes(): number {
    return this.#budgets.memoryBytes;
  }

  fork(): () => void {
    return this.#budgets.fork();
  }

  outOfMemory(): void {
    this.#kill({ reason: "OOMKilled" });
  }

  outOfDisk(): void {
    this.evict(this.filesBytes);
    this.#budgets.close();
  }

  /** Ends it because its pod takes so many bytes of the node's disk. */
  evict(bytes: number): void {
    const used = `Container ${this.parts.spec.name} was using ${Math.ceil(bytes / 1024)}Ki, request is 0`;
    this.#kill({
      reason: "Error",
      eviction: `The node was low on resource: ephemeral-storage. ${used}, has larger consumption of ephemeral-storage. `,
    });
  }

  /** Throws before {@link openFiles} has resolved. */
  get files(): FileSystem {
    if (this.#files === undefined) throw new Error("the container's files are not open");
    return this.#files;
  }

  /** Makes the files that a program of the container finds. */
  async openFiles(): Promise<void> {
    if (this.#files !== undefined) return;
    this.#opening ??= this.parts.files({
      take: (bytes) => this.#budgets.takeFiles(bytes),
      give: (bytes) => this.#budgets.giveFiles(bytes),
    });
    try {
      this.#files = await this.#opening;
    } finally {
      this.#opening = undefined;
    }
  }

  /** How many bytes the files take. */
  get filesBytes(): number {
    return this.#files?.used ?? 0;
  }

  /** Drops the files and the log of a container that has ended. */
  dropFiles(): void {
    this.#files = undefined;
    this.#budgets.close();
  }

  /**
   * Called when a script of it reaches what only stands in for a program. Whether it has done so for so long that it waits for an answer that
   * does not come: a task does not wait for ever.
   */
  waitsTooLongFor(standIn: string): boolean {
    if (lifeOf(this.parts.spec) !== "task") return false;
    const now = this.clock.now();
    const since = this.#waiting.get(standIn) ?? now;
    if (this.#waiting.size < MOST_AWAITED) this.#waiting.set(standIn, since);
    return now - since >= LONGEST_WAIT_MS;
  }

  note(text: string): void {
    this.log.write("stdout", Buffer.from(`kubets: ${text}\n`));
  }

  get processes(): Iterable<Process> {
    return this.#processes.values();
  }

  get running(): boolean {
    return this.#main !== undefined && !this.#main.gone.aborted;
  }

  /** Aborts when the main process is over. Throws before it was started. */
  get ended(): AbortSignal {
    if (this.#main === undefined) throw new Error("the container was not started");
    return this.#main.gone;
  }

  /**
   * Starts the main process: a program, by whatever name, or a command line. Throws an {@link ExecError} when there is no such program. Where a
   * script of it needs what is not there, `onMissing` says what runs from then on: see {@link ProcessSetup.endsAtMissing}.
   */
  run(argv: readonly string[], program?: Program, onMissing?: (missing: MissingError) => Program): Promise<MainExit> {
    const { env, cwd } = this.parts;
    const streams = this.#attached.streamsOf((signal) => this.signalMain(signal));
    const setup = { ...streams, env, cwd };
    const watched = { ...setup, endsAtMissing: onMissing !== undefined };
    const main = program === undefined ? this.start(argv, watched) : this.#begin(program, argv, watched);
    this.#main = main;
    return this.#ended(main, (missing) => onMissing && this.#begin(onMissing(missing), argv, setup));
  }

  async #ended(main: Process, goOn: (missing: MissingError) => Process | undefined): Promise<MainExit> {
    let exit = await main.ended;
    const missing = exit.missing ?? this.#unjudged(exit);
    const next = missing && goOn(missing);
    if (next !== undefined) {
      this.#main = next;
      exit = await next.ended;
    }
    for (const process of this.#processes.values()) process.signal("SIGKILL");
    this.#budgets.end();
    this.log.end();
    this.#attached.end();
    const { missing: _, ...rest } = exit;
    return { ...rest, ...this.#end };
  }

  /** Why the failure of a task says nothing: it has asked what only stands in for a program. Undefined for others. */
  #unjudged({ exitCode, signal }: ProcessExit): MissingError | undefined {
    const [asked] = this.#waiting.keys();
    if (asked === undefined || exitCode === 0 || signal !== undefined || this.#end.reason !== undefined)
      return undefined;
    return new MissingError("expectation", asked, { script: this.#main?.command[0] ?? "", line: 0 });
  }

  /** Ends all processes at once. */
  #kill(end: Pick<MainExit, "reason" | "eviction">): void {
    if (!this.running) return;
    this.#end = end;
    this.#budgets.end();
    for (const process of this.#processes.values()) process.signal("SIGKILL");
  }

  isOfImage(path: string): boolean {
    const { name, pod } = this.parts.spec;
    const { containers = [], initContainers = [] } = pod.object?.().spec ?? {};
    const own = [...containers, ...initContainers].find((container) => container.name === name);
    const mounted = own?.volumeMounts?.map(({ mountPath }) => mountPath) ?? [];
    return ![...WRITTEN_FOLDERS, ...mounted].some((folder) => `${path}/`.startsWith(folder.replace(/\/?$/, "/")));
  }

  signalMain(name: string): void {
    this.#main?.signal(name);
  }

  /** Starts a process. Throws an {@link ExecError} when there is no such program, a ForkError where there is no place for it. */
  start(argv: readonly string[], setup: ProcessSetup): Process {
    if (isTooLong(argv, setup.env))
      throw new ExecError("too-long", `exec ${(argv[0] ?? "").slice(0, LONGEST_NAME)}: argument list too long`);
    const { program, command } = this.#find(argv, setup);
    return this.#begin(program, command, setup);
  }

  /** Joins the main process; resolves when it has ended or the client is gone. */
  attach(streams: ProcessStreams): Promise<void> {
    return this.#attached.join(streams);
  }

  /** Runs a further program with a client's streams; resolves with its exit code. */
  async exec(argv: readonly string[], streams: ProcessStreams): Promise<number> {
    const { env, cwd } = this.parts;
    let process: Process | undefined;
    const terminal = streams.tty
      ? new Terminal(
          async (chunk) => streams.stdout?.(chunk),
          (signal) => process?.signal(signal),
        )
      : undefined;
    const stdin = terminal?.input ?? new BytePipe();
    const write = (target: ProcessStreams["stdout"]): OutputTarget =>
      terminal === undefined ? async (chunk) => target?.(chunk) : (chunk) => terminal.write(chunk);
    const sizes = terminal && streams.sizes && (await firstSize(terminal, streams.sizes));
    const started = (process = this.start(argv, {
      stdin,
      stdout: write(streams.stdout),
      stderr: write(streams.stderr),
      env: terminal === undefined ? env : { TERM: "xterm", ...env },
      cwd,
      terminal,
    }));
    void sizes?.();
    const hangUp = (): void => started.signal("SIGKILL");
    if (streams.signal.aborted) hangUp();
    streams.signal.addEventListener("abort", hangUp, { once: true });
    void feed(streams.stdin, stdin, terminal);
    try {
      return await started.exited;
    } finally {
      streams.signal.removeEventListener("abort", hangUp);
      stdin.destroy();
    }
  }

  /** Signals a process by its pid; false when there is none. */
  signal(pid: number, name: string): boolean {
    const process = this.#processes.get(pid);
    process?.signal(name);
    return process !== undefined;
  }

  #begin(program: Program, command: readonly string[], setup: ProcessSetup): Process {
    const leave = this.fork();
    let process: Process;
    try {
      process = new Process(this, (this.#pids += 1), command, setup);
    } catch (error) {
      leave();
      throw error;
    }
    this.#processes.set(process.pid, process);
    void process.ended.then(() => {
      this.#processes.delete(process.pid);
      leave();
    });
    process.start(program);
    return process;
  }

  #find(argv: readonly string[], setup: Pick<ProcessSetup, "env" | "cwd">): FoundProgram {
    const { env, cwd } = setup;
    const [name = ""] = argv;
    const missing = new ExecError("not-found", `exec: "${name}": executable file not found in $PATH`);
    if (name === "") throw missing;
    const folders = name.includes("/") ? [""] : (env["PATH"] ?? FALLBACK_PATH).split(":").map((folder) => `${folder}/`);
    for (const folder of folders) {
      const path = absolute(cwd, `${folder}${name}`);
      const node = this.files.look(path);
      if (node === undefined) continue;
      if (node.kind === "file" && node.program !== undefined) return { program: node.program, command: argv };
      if (node.kind === "file" && (node.mode & 0o111) !== 0) return this.#script(path, node, argv, setup);
      if (folder === "") throw new ExecError("not-executable", `exec: "${name}": permission denied`);
    }
    if (folders[0] === "") throw new ExecError("not-found", `exec: "${name}": stat ${name}: no such file or directory`);
    throw missing;
  }

  /** A file with the execute bit is a script of the interpreter that its first line names, or of the shell. */
  #script(
    path: string,
    node: RegularNode,
    argv: readonly string[],
    setup: Pick<ProcessSetup, "env" | "cwd">,
  ): FoundProgram {
    const { interpreter = "sh", argument } = firstLineOf(node);
    if (!OF_THE_SHELL.test(interpreter)) {
      const found = this.files.look(absolute(setup.cwd, interpreter));
      if (found?.kind !== "file" || found.program === undefined)
        throw new ExecError("not-found", `exec ${path}: no such file or directory: ${interpreter}`);
      const command = [interpreter, ...(argument === undefined ? [] : [argument]), path, ...argv.slice(1)];
      return { program: found.program, command };
    }
    const shell = this.files.look("/bin/sh");
    if (shell?.kind !== "file" || shell.program === undefined) {
      throw new ExecError("not-executable", `exec ${argv[0] ?? ""}: exec format error`);
    }
    return { program: shell.program, command: ["sh", path, ...argv.slice(1)] };
  }
}

/** Where programs put their files, and the kernel its own. */
const WRITTEN_FOLDERS = ["/tmp", "/var/tmp", "/run", "/var/run", "/dev", "/proc", "/sys"];

interface FoundProgram {
  readonly program: Program;
  readonly command: readonly string[];
}

const OF_THE_SHELL = /^(?:\S*\/)?(?:ba|da|a)?sh$/;
/** Of the line that names an interpreter, in bytes; Linux's number. */
const LONGEST_INTERPRETER = 256;

/** What "#!/usr/bin/python3 -u" names; nothing for another first line. */
function firstLineOf({ content }: RegularNode): { readonly interpreter?: string; readonly argument?: string } {
  const [chunk = new Uint8Array()] = content.read();
  const [line = ""] = Buffer.from(chunk.subarray(0, LONGEST_INTERPRETER)).toString("latin1").split("\n");
  const [, interpreter, argument] = /^#![ \t]*([^ \t]+)(?:[ \t]+(.*[^ \t]))?[ \t]*$/.exec(line) ?? [];
  if (interpreter === undefined) return {};
  // The shell reads from the first line itself which of its names it has.
  if (interpreter.endsWith("/env") && /^(?:-S[ \t]+)?(?:ba|da|a)?sh\b/.test(argument ?? "")) return {};
  return { interpreter, ...(argument !== undefined && { argument }) };
}

/** So much of a name is in what is said of it. */
const LONGEST_NAME = 256;

function isTooLong(argv: readonly string[], env: Readonly<Record<string, string>>): boolean {
  const isLong = (text: string): boolean => text.length >= LONGEST_ARGUMENT;
  return argv.some(isLong) || Object.values(env).some(isLong) || argumentBytes(argv, env) > MOST_ARGUMENTS;
}

/** The client's first size is there before the program asks. The answer follows the later ones. */
async function firstSize(
  terminal: Terminal,
  sizes: NonNullable<ProcessStreams["sizes"]>,
): Promise<() => Promise<void>> {
  const iterator = sizes[Symbol.asyncIterator]();
  // A client need not send any: the program does not wait for the first longer than a turn of the event loop.
  const first = iterator.next();
  const early = await Promise.race([first, turn().then(() => undefined)]);
  if (early !== undefined && early.done !== true) terminal.resize(early.value);
  return async () => {
    try {
      for (let next = early ?? (await first); next.done !== true; next = await iterator.next())
        terminal.resize(next.value);
    } catch {
      // The client is gone; the end of its streams says so too.
    }
  };
}

/** Writes what a client sends to the program's stdin, and closes that when the client has sent everything. */
export async function feed(
  input: AsyncIterable<Uint8Array> | undefined,
  stdin: BytePipe,
  terminal: Terminal | undefined,
): Promise<void> {
  try {
    for await (const chunk of input ?? []) {
      if (terminal === undefined) await stdin.write(chunk);
      else await terminal.receive(chunk);
    }
  } catch {
    // The program reads no more, or the client is gone.
  }
  if (terminal === undefined) stdin.end();
  else terminal.hangUpInput();
}

import type { Clock } from "../../base/clock.js";
import type { Timers } from "../../base/timers.js";
import { turn } from "../../base/turn.js";
import type { ContainerSpec, ProcessStreams } from "../container-runtime.js";
import { BytePipe } from "../byte-pipe.js";
import { Attachments } from "./attachments.js";
import { ContainerLog } from "./container-log.js";
import { absolute, type FileSystem } from "./files/file-system.js";
import type { PodPorts } from "./ports.js";
import { Process, type ProcessExit, type ProcessSetup } from "./process.js";
import { type ContainerView, ExecError, type OutputTarget, type Program } from "./program.js";
import { Terminal } from "./terminal.js";

export interface ContainerParts {
  readonly spec: ContainerSpec;
  /** Makes the container's files, when a program begins that may read them. */
  readonly files: () => Promise<FileSystem>;
  readonly ports: PodPorts;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly timers: Timers;
}

const FALLBACK_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** A container: its files, its log and its processes. The first process is its main one, with pid 1. */
export class Container implements ContainerView {
  readonly ports: PodPorts;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly hostname: string;
  readonly log: ContainerLog;
  readonly #processes = new Map<number, Process>();
  readonly #attached: Attachments;
  #files: FileSystem | undefined;
  #pids = 0;
  #main: Process | undefined;

  constructor(private readonly parts: ContainerParts) {
    const { spec, ports, clock, timers } = parts;
    this.ports = ports;
    this.clock = clock;
    this.timers = timers;
    this.hostname = spec.pod.hostname;
    this.log = new ContainerLog(clock);
    this.#attached = new Attachments(spec, this.log);
  }

  /** Throws before {@link openFiles} has resolved. */
  get files(): FileSystem {
    if (this.#files === undefined) throw new Error("the container's files are not open");
    return this.#files;
  }

  /** Makes the files that a program of the container finds. */
  async openFiles(): Promise<void> {
    this.#files ??= await this.parts.files();
  }

  /** How many bytes the files take. */
  get filesBytes(): number {
    return this.#files?.used ?? 0;
  }

  get processes(): Iterable<Process> {
    return this.#processes.values();
  }

  get running(): boolean {
    return this.#main !== undefined && !this.#main.gone.aborted;
  }

  /** Starts the main process: a program, by whatever name, or a command line. Throws an {@link ExecError} when there is no such program. */
  run(argv: readonly string[], program?: Program): Promise<ProcessExit> {
    const { env, cwd } = this.parts;
    const streams = this.#attached.streamsOf((signal) => this.signalMain(signal));
    const setup = { ...streams, env, cwd };
    const main = program === undefined ? this.start(argv, setup) : this.#begin(program, argv, setup);
    this.#main = main;
    return main.ended.then((exit) => {
      for (const process of this.#processes.values()) process.signal("SIGKILL");
      this.log.end();
      this.#attached.end();
      return exit;
    });
  }

  signalMain(name: string): void {
    this.#main?.signal(name);
  }

  /** Starts a process. Throws an {@link ExecError} when there is no such program. */
  start(argv: readonly string[], setup: ProcessSetup): Process {
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
    const process = new Process(this, (this.#pids += 1), command, setup);
    this.#processes.set(process.pid, process);
    void process.ended.then(() => this.#processes.delete(process.pid));
    process.start(program);
    return process;
  }

  #find(argv: readonly string[], { env, cwd }: ProcessSetup): { program: Program; command: readonly string[] } {
    const [name = ""] = argv;
    const missing = new ExecError("not-found", `exec: "${name}": executable file not found in $PATH`);
    if (name === "") throw missing;
    const folders = name.includes("/") ? [""] : (env["PATH"] ?? FALLBACK_PATH).split(":").map((folder) => `${folder}/`);
    for (const folder of folders) {
      const path = absolute(cwd, `${folder}${name}`);
      const node = this.files.look(path);
      if (node === undefined) continue;
      if (node.kind === "file" && node.program !== undefined) return { program: node.program, command: argv };
      if (node.kind === "file" && (node.mode & 0o111) !== 0) return this.#script(path, argv);
      if (folder === "") throw new ExecError("not-executable", `exec: "${name}": permission denied`);
    }
    if (folders[0] === "") throw new ExecError("not-found", `exec: "${name}": stat ${name}: no such file or directory`);
    throw missing;
  }

  /** A file with the execute bit is a script of the shell. */
  #script(path: string, argv: readonly string[]): { program: Program; command: readonly string[] } {
    const shell = this.files.look("/bin/sh");
    if (shell?.kind !== "file" || shell.program === undefined) {
      throw new ExecError("not-executable", `exec ${argv[0] ?? ""}: exec format error`);
    }
    return { program: shell.program, command: ["sh", path, ...argv.slice(1)] };
  }
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

/** Passes a client's input on to its end. */
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

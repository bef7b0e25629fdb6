import type { Duplex } from "node:stream";
import { deferred } from "../../base/async/deferred.js";
import { errorMessage } from "../../base/text/error-message.js";
import { sliceIsSpent } from "../../base/async/time-slice.js";
import { standInAt } from "../../machinery/wire/streams/stand-in-end.js";
import { type BytePipe, BrokenPipeError } from "../byte-pipe.js";
import type { Container } from "./container.js";
import { MissingError, type ScriptPlace } from "./missing.js";
import {
  type ChildProcess,
  ExecError,
  type OutputTarget,
  type Program,
  type ProgramInput,
  type ProgramIo,
  type ProgramOutput,
  type SpawnOptions,
} from "./program.js";
import { MemoryShare } from "./limits/memory-share.js";
import { isIgnoredByDefault, signalNumber } from "./signals.js";
import { giveWay, type SliceOwner } from "./slices.js";
import type { Terminal } from "./terminal.js";

/** A signal has ended the program: what its reads and writes throw from then on. */
class ProcessEnded extends Error {
  override readonly name = "ProcessEnded";
}

/** The streams and the surroundings of a process. */
export interface ProcessSetup {
  readonly stdin: BytePipe;
  readonly stdout: OutputTarget;
  readonly stderr: OutputTarget;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly terminal: Terminal | undefined;
  /**
   * The process, and each one that waits for it, ends where a program or a script in it needs a program or a construct that the container has
   * not, wherever that is: in a condition, a pipeline, a subshell, a function or the arguments of xargs. Nothing is written to stderr; {@link
   * ProcessExit.missing} says what it was. Its children are started so as well. Default: false; a missing program is code 127 and a message.
   */
  readonly endsAtMissing?: boolean;
  /** The line of the script that has started it. */
  readonly place?: ScriptPlace | undefined;
}

export interface ProcessExit {
  /** 127 with `missing`. */
  readonly exitCode: number;
  /** What it ended at; only with {@link ProcessSetup.endsAtMissing}. */
  readonly missing?: MissingError;
  /** The number of the signal that ended it. */
  readonly signal?: number;
}

/** What a process takes beside its arguments and its environment, in bytes. */
const PROCESS_BYTES = 16 * 1024;
const BROKEN_PIPE_CODE = 141;
const NAMELESS = 128;
const MISSING_CODE = 127;

/** A running program of a container, with the processes that it started. */
export class Process implements ChildProcess {
  readonly ended: Promise<ProcessExit>;
  readonly exited: Promise<number>;
  readonly #end = deferred<ProcessExit>();
  readonly #gone = new AbortController();
  readonly #handlers = new Map<string, Set<() => void>>();
  readonly #children = new Set<Process>();
  readonly #memory: MemoryShare;

  /** Throws where the container has no memory for it. */
  constructor(
    readonly container: Container,
    readonly pid: number,
    readonly command: readonly string[],
    private readonly setup: ProcessSetup,
  ) {
    this.#memory = new MemoryShare(container.memory);
    this.#memory.take(PROCESS_BYTES + argumentBytes(command, setup.env));
    this.ended = this.#end.promise;
    this.exited = this.ended.then(({ exitCode }) => exitCode);
  }

  /** Aborts when the process is over. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Runs the program; {@link ended} resolves when it is over. */
  start(program: Program): void {
    void this.#run(program);
  }

  /** A program that handles the signal gets it; else it ends the program and those that it started, or does nothing. */
  signal(name: string): void {
    const handlers = name === "SIGKILL" ? undefined : this.#handlers.get(name);
    if (handlers !== undefined && handlers.size > 0) {
      for (const handler of handlers) handler();
      return;
    }
    if (name === "SIGWINCH") for (const child of this.#children) child.signal(name);
    if (isIgnoredByDefault(name)) return;
    const signal = signalNumber(name);
    this.#finish({ exitCode: NAMELESS + signal, signal });
  }

  async #run(program: Program): Promise<void> {
    let exitCode: number;
    try {
      exitCode = (await program(this.#io())) & 0xff;
    } catch (error) {
      exitCode = error instanceof BrokenPipeError ? BROKEN_PIPE_CODE : 1;
      if (exitCode === 1 && !this.#gone.signal.aborted) await this.#complain(error);
    }
    this.#finish({ exitCode });
  }

  async #complain(error: unknown): Promise<void> {
    const text = `${this.command[0] ?? ""}: ${errorMessage(error)}\n`;
    try {
      await this.setup.stderr(Buffer.from(text), this.#gone.signal);
    } catch {
      // The reader of stderr is gone as well.
    }
  }

  #finish(exit: ProcessExit): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort(new ProcessEnded(`process ${this.pid} has ended`));
    for (const child of this.#children) child.signal("SIGKILL");
    this.#memory.release();
    this.#end.resolve(exit);
  }

  #spawn(argv: readonly string[], options: SpawnOptions): ChildProcess {
    this.#gone.signal.throwIfAborted();
    const { setup } = this;
    const child = this.#start(argv, options, {
      stdin: options.stdin ?? setup.stdin,
      stdout: options.stdout ?? setup.stdout,
      stderr: options.stderr ?? setup.stderr,
      env: options.env ?? setup.env,
      cwd: options.cwd ?? setup.cwd,
      terminal: setup.terminal,
      ...(setup.endsAtMissing === true && { endsAtMissing: true, place: options.place }),
    });
    this.#children.add(child);
    void child.ended.then(({ missing }) => {
      this.#children.delete(child);
      if (missing !== undefined) this.#finish({ exitCode: MISSING_CODE, missing });
    });
    return child;
  }

  #start(argv: readonly string[], { place }: SpawnOptions, setup: ProcessSetup): Process {
    try {
      return this.container.start(argv, setup);
    } catch (error) {
      if (setup.endsAtMissing === true && error instanceof ExecError && error.kind === "not-found") {
        const script = this.command[0] ?? "";
        const missing = new MissingError("program", argv[0] ?? "", place ?? { script, line: 0 });
        this.#finish({ exitCode: MISSING_CODE, missing });
      }
      throw error;
    }
  }

  #io(): ProgramIo {
    const { container, setup, command, pid } = this;
    const signal = this.gone;
    const [path = "", ...args] = command;
    return {
      name: path,
      args,
      env: { ...setup.env },
      cwd: setup.cwd,
      pid,
      stdin: inputOf(setup.stdin, this),
      stdout: outputOf(setup.stdout, this),
      stderr: outputOf(setup.stderr, this),
      terminal: setup.terminal,
      signal,
      onSignal: (name, handler) => this.#handle(name, handler),
      spawn: (argv, options = {}) => this.#spawn(argv, options),
      missing:
        setup.endsAtMissing === true ? (missing) => this.#finish({ exitCode: MISSING_CODE, missing }) : undefined,
      place: setup.place,
      listen: (port, answer) => container.ports.listen(port, answer, signal),
      network: {
        dnsAddress: container.network.dnsAddress,
        lookup: (host) => container.network.lookup(host, container.files),
        connect: (address, port, ending) => this.#connect(address, port, ending),
        isApi: (address, port) => container.network.isApi(address, port),
      },
      // Not read here: the container's first process may need none.
      get files() {
        return container.files;
      },
      memory: this.#memory,
      container,
      clock: container.clock,
      timers: container.timers,
    };
  }

  async #connect(address: string, port: number, ending: AbortSignal | undefined): Promise<Duplex> {
    const { container } = this;
    const signal = ending === undefined ? this.gone : AbortSignal.any([this.gone, ending]);
    const connection = await container.network.connect(address, port, signal);
    const what = standInAt(connection);
    if (what !== undefined && this.setup.endsAtMissing === true && container.waitsTooLongFor(what)) {
      connection.destroy();
      const [script = ""] = this.command;
      this.#finish({ exitCode: MISSING_CODE, missing: new MissingError("answer", what, { script, line: 0 }) });
    }
    const end = (): void => void connection.destroy();
    if (this.gone.aborted) end();
    this.gone.addEventListener("abort", end, { once: true });
    connection.once("close", () => this.gone.removeEventListener("abort", end));
    // Whoever reads hears of it; a program may have stopped.
    connection.on("error", () => {});
    return connection;
  }

  #handle(name: string, handler: () => void): () => void {
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers);
    handlers.add(handler);
    return () => handlers.delete(handler);
  }
}

function inputOf(pipe: BytePipe, owner: Process): ProgramInput {
  const read = async (): Promise<Uint8Array | undefined> => {
    // A writer that is always ready must not keep the event loop.
    if (sliceIsSpent()) await giveWay(sliceOwner(owner));
    return pipe.read(owner.gone);
  };
  return {
    read,
    unread: (chunk) => pipe.unread(chunk),
    async *[Symbol.asyncIterator]() {
      for (let chunk = await read(); chunk !== undefined; chunk = await read()) yield chunk;
    },
  };
}

function outputOf(target: OutputTarget, owner: Process): ProgramOutput {
  const signal = owner.gone;
  return {
    async write(data) {
      signal.throwIfAborted();
      await target(typeof data === "string" ? Buffer.from(data) : data, signal);
      // A reader that is always ready, such as /dev/null, must not keep the event loop.
      if (sliceIsSpent()) await giveWay(sliceOwner(owner));
    },
  };
}

const sliceOwner = ({ gone, container }: Process): SliceOwner => ({ signal: gone, container });

/** The bytes that Linux counts for a program's arguments and environment: their text, and a pointer to each. */
export function argumentBytes(argv: readonly string[], env: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const arg of argv) bytes += arg.length + POINTER_BYTES;
  for (const [name, value] of Object.entries(env)) bytes += name.length + value.length + POINTER_BYTES + 1;
  return bytes;
}

const POINTER_BYTES = 9;

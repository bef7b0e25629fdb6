import type { Clock } from "../../base/time/clock.js";
import type { Timers } from "../../base/time/timers.js";
import type { Duplex } from "node:stream";
import type { ByteStream } from "../../machinery/wire/streams/byte-stream.js";
import type { FileSystem } from "./files/file-system.js";
import type { BytePipe } from "../byte-pipe.js";
import type { ResolvedName } from "../network/pod-network.js";
import type { ContainerMemory } from "./limits/memory-share.js";
import type { MissingError, ScriptPlace } from "./missing.js";
import type { Terminal } from "./terminal.js";

/**
 * A program of a scripted container: a function that reads, writes and resolves with its exit code, 0 to 255. What it throws is
 * written to its stderr, and its code is 1.
 */
export type Program = (io: ProgramIo) => number | Promise<number>;

/** The input, output and surroundings of a program. All of it ends with the program: reads and writes throw once a signal has ended it. */
export interface ProgramIo {
  /** What it was called by, "ls". */
  readonly name: string;
  /** Its arguments, without its name. */
  readonly args: readonly string[];
  /** Its environment. It may change its copy. */
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly pid: number;
  readonly stdin: ProgramInput;
  readonly stdout: ProgramOutput;
  readonly stderr: ProgramOutput;
  /** Its terminal, when it has one. */
  readonly terminal: Terminal | undefined;
  /** Aborts when a signal ends the program. */
  readonly signal: AbortSignal;
  /** Handles a signal ("SIGTERM", "SIGWINCH") that would else end or miss the program. The answer takes the handler away. */
  onSignal(name: string, handler: () => void): () => void;
  /** Starts another program and resolves with how it is reached. Throws an {@link ExecError} when there is none. */
  spawn(argv: readonly string[], options?: SpawnOptions): ChildProcess;
  /** Answers connections to a port of the pod until the program ends. Throws when another program has the port. */
  listen(port: number, answer: (connection: ByteStream) => void | Promise<void>): void;
  readonly network: ContainerNetwork;
  /**
   * Ends the main process of a container that stands in for what it has not: see {@link ProcessSetup.endsAtMissing}. Undefined where what is
   * missing is an error of the program's own, as in `exec` and at a prompt.
   */
  readonly missing: ((missing: MissingError) => void) | undefined;
  /** The line of the script that has started it, where {@link missing} is there and a script has. */
  readonly place: ScriptPlace | undefined;
  readonly files: FileSystem;
  /** Bytes that the program keeps count against its container's memory. What it does not give back is given back at its end. */
  readonly memory: ContainerMemory;
  readonly container: ContainerView;
  readonly clock: Clock;
  readonly timers: Timers;
}

export interface ProgramInput extends AsyncIterable<Uint8Array> {
  /** The next bytes; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
  /** Gives back bytes that were read and not used, for whichever program reads next. */
  unread(chunk: Uint8Array): void;
}

export interface ProgramOutput {
  /** Resolves when more may be written: await it. */
  write(data: string | Uint8Array): Promise<void>;
}

/** The source of a program's input: a pipe, a file's content, or nothing. */
export type InputSource = BytePipe;

/** Writes a program's output. */
export type OutputTarget = (chunk: Uint8Array, signal: AbortSignal) => Promise<void>;

export interface SpawnOptions {
  readonly stdin?: InputSource;
  readonly stdout?: OutputTarget;
  readonly stderr?: OutputTarget;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The line of the script that starts it. */
  readonly place?: ScriptPlace;
}

export interface ChildProcess {
  readonly pid: number;
  /** Resolves with the exit code; 128 and the signal's number when a signal ended it. */
  readonly exited: Promise<number>;
  signal(name: string): void;
}

/** The network as a program sees it. It never leads to the machine's network. */
export interface ContainerNetwork {
  /** As {@link PodNetwork.lookup}, with the container's /etc/hosts before it. An address is its own name. */
  lookup(host: string): Promise<ResolvedName>;
  /** As {@link PodNetwork.connect}; 127.0.0.1 is the pod. The connection breaks when the program ends. */
  connect(address: string, port: number, signal?: AbortSignal): Promise<Duplex>;
  /** As {@link PodNetwork.isApi}; false where nothing is reached but the pod. */
  isApi(address: string, port: number): Promise<boolean>;
  /** Of the DNS that names are asked of. */
  readonly dnsAddress: string;
}

/** The view that programs have of their container. */
export interface ContainerView {
  readonly hostname: string;
  /** Writes a line of kubets' own into the container's log. */
  note(text: string): void;
  readonly processes: Iterable<{ readonly pid: number; readonly command: readonly string[] }>;
  signal(pid: number, name: string): boolean;
  /** Takes the place of a process, for work that a shell would fork for; the answer gives it back. Throws a ForkError where none is left. */
  fork(): () => void;
  /** Whether only the container's image could have a file of this absolute path: no volume is there, and programs write elsewhere. */
  isOfImage(path: string): boolean;
}

/** Thrown for a program that cannot be started. */
export class ExecError extends Error {
  override readonly name = "ExecError";

  constructor(
    readonly kind: "not-found" | "not-executable" | "too-long",
    message: string,
  ) {
    super(message);
  }
}

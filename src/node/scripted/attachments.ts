import type { ContainerSpec, ProcessStreams } from "../container-runtime.js";
import type { TerminalSize } from "../../machinery/wire/streams/remote-command.js";
import { BytePipe } from "../byte-pipe.js";
import type { ContainerLog } from "./container-log.js";
import type { ProcessSetup } from "./process.js";
import { Terminal } from "./terminal.js";

interface Joined {
  readonly streams: ProcessStreams;
  leave(): void;
}

/** The streams of a container's main process: its log, and the clients that are attached to it. */
export class Attachments {
  readonly #stdin = new BytePipe();
  readonly #joined = new Set<Joined>();
  #terminal: Terminal | undefined;
  #ended = false;
  #inputTaken = false;

  constructor(
    private readonly spec: ContainerSpec,
    private readonly log: ContainerLog,
  ) {}

  /** What the main process reads and writes. `interrupt` gets the signals of its terminal. */
  streamsOf(interrupt: (signal: string) => void): Pick<ProcessSetup, "stdin" | "stdout" | "stderr" | "terminal"> {
    const { stdin, tty } = this.spec;
    if (tty) {
      this.#terminal = new Terminal((chunk) => this.#write("stdout", chunk), interrupt);
      if (!stdin) this.#terminal.input.end();
      const write = (chunk: Uint8Array): Promise<void> | undefined => this.#terminal?.write(chunk);
      const output = async (chunk: Uint8Array): Promise<void> => write(chunk);
      return { stdin: this.#terminal.input, stdout: output, stderr: output, terminal: this.#terminal };
    }
    if (!stdin) this.#stdin.end();
    return {
      stdin: this.#stdin,
      stdout: (chunk) => this.#write("stdout", chunk),
      stderr: (chunk) => this.#write("stderr", chunk),
      terminal: undefined,
    };
  }

  /** Resolves when the main process has ended, or when the client is gone. */
  join(streams: ProcessStreams): Promise<void> {
    if (this.#ended || streams.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const joined: Joined = {
        streams,
        leave: () => {
          this.#joined.delete(joined);
          streams.signal.removeEventListener("abort", joined.leave);
          resolve();
        },
      };
      this.#joined.add(joined);
      streams.signal.addEventListener("abort", joined.leave, { once: true });
      void this.#follow(streams);
      if (this.spec.stdin && streams.stdin !== undefined) void this.#feed(streams.stdin, joined.leave);
    });
  }

  /** The main process has ended. */
  end(): void {
    this.#ended = true;
    for (const { leave } of this.#joined) leave();
  }

  async #write(stream: "stdout" | "stderr", chunk: Uint8Array): Promise<void> {
    this.log.write(stream, chunk);
    for (const { streams, leave } of this.#joined) {
      const target = stream === "stdout" ? streams.stdout : streams.stderr;
      if (target === undefined) continue;
      try {
        await target(chunk);
      } catch {
        leave();
      }
    }
  }

  async #follow({ sizes, signal }: ProcessStreams): Promise<void> {
    try {
      for await (const size of sizes ?? ([] as TerminalSize[])) {
        if (signal.aborted) return;
        this.#terminal?.resize(size);
      }
    } catch {
      // The client is gone.
    }
  }

  /**
   * Input of one client after another. With stdinOnce, the end of the first one's is the program's. At a terminal it is that of the
   * session alone, as containerd has it: clients leave by it, and the program runs on.
   */
  async #feed(input: AsyncIterable<Uint8Array>, leave: () => void): Promise<void> {
    const first = !this.#inputTaken;
    this.#inputTaken = true;
    try {
      for await (const chunk of input) {
        if (this.#ended) return;
        if (this.#terminal === undefined) await this.#stdin.write(chunk);
        else await this.#terminal.receive(chunk);
      }
    } catch {
      // The client is gone, or the program reads no more.
    }
    if (this.#terminal !== undefined) leave();
    else if (this.spec.stdinOnce && first) this.#stdin.end();
  }
}

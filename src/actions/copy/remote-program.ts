import { Fifo } from "../../base/collections/fifo.js";

/** Runs a program: hands its output to `write`, and ends it when `signal` aborts. */
export type RunProgram = (write: (chunk: Uint8Array) => Promise<void>, signal: AbortSignal) => Promise<void>;

/** Bytes of output that may wait to be taken: the container goes on while a chunk is written to the disk. */
const ROOM = 64 * 1024;

/** A program in a container whose output is read chunk by chunk. Its output is paused while too many chunks wait for the reader. */
export class RemoteProgram {
  readonly #stop = new AbortController();
  readonly #end: Promise<void>;
  readonly #chunks = new Fifo<Uint8Array>();
  #waiting = 0;
  #over = false;
  #wakeReader: () => void = () => undefined;
  #wakeWriter: () => void = () => undefined;

  constructor(run: RunProgram, signal: AbortSignal) {
    this.#end = run((chunk) => this.#put(chunk), AbortSignal.any([signal, this.#stop.signal]));
    const over = (): void => {
      this.#over = true;
      this.#wakeReader();
    };
    this.#end.then(over, over);
  }

  /** Undefined once the program has ended well or was stopped. Throws where it has ended badly. */
  async next(): Promise<Uint8Array | undefined> {
    while (this.#chunks.length === 0) {
      if (this.#stop.signal.aborted) return undefined;
      if (this.#over) {
        await this.#end;
        return undefined;
      }
      await new Promise<void>((wake) => (this.#wakeReader = wake));
    }
    const chunk = this.#chunks.shift();
    this.#waiting -= chunk?.length ?? 0;
    if (this.#waiting < ROOM) this.#wakeWriter();
    return chunk;
  }

  /** Drops what the program still writes, and waits for its end for at most `limit` milliseconds. Throws when it ends badly in that time. */
  async finish(limit: number): Promise<void> {
    const late = setTimeout(() => this.stop(), limit);
    try {
      while ((await this.next()) !== undefined);
    } finally {
      clearTimeout(late);
    }
  }

  /** Ends the program, if it has not ended. */
  stop(): void {
    this.#stop.abort();
    this.#wakeReader();
    this.#wakeWriter();
  }

  async #put(chunk: Uint8Array): Promise<void> {
    if (chunk.length === 0 || this.#stop.signal.aborted) return;
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    this.#wakeReader();
    while (this.#waiting >= ROOM && !this.#stop.signal.aborted) {
      await new Promise<void>((wake) => (this.#wakeWriter = wake));
    }
  }
}

import { Fifo } from "../base/collections/fifo.js";
import type { ByteStream } from "../machinery/wire/streams/byte-stream.js";

/** A writer waits while so many bytes are unread. */
const HIGH_WATER_BYTES = 256 * 1024;

/** The reading end of a pipe is closed; a program would get SIGPIPE. */
export class BrokenPipeError extends Error {
  override readonly name = "BrokenPipeError";

  constructor() {
    super("Broken pipe");
  }
}

interface Waiter {
  wake(): void;
}

/** Passes bytes from one program to another, with back-pressure. Any number of programs may read from it, one after the other. */
export class BytePipe implements AsyncIterable<Uint8Array> {
  readonly #chunks = new Fifo<Uint8Array>();
  #returned: Uint8Array | undefined;
  #buffered = 0;
  #ended = false;
  #broken: Error | undefined;
  /** In the order in which they came. */
  readonly #readers = new Set<Waiter>();
  readonly #writers = new Set<Waiter>();

  /** The next bytes; undefined at the end. Throws what broke the pipe, and `signal`'s reason when it aborts first. */
  async read(signal?: AbortSignal): Promise<Uint8Array | undefined> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#returned !== undefined) {
        const chunk = this.#returned;
        this.#returned = undefined;
        return chunk;
      }
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#buffered -= chunk.length;
        if (this.#buffered < HIGH_WATER_BYTES) this.#wakeWriters();
        // A terminal's end of input: the reader sees an end, and the next one reads on.
        return chunk.length === 0 ? undefined : chunk;
      }
      if (this.#broken !== undefined) throw this.#broken;
      if (this.#ended) return undefined;
      await waitIn(this.#readers, signal);
      // A reader that aborts after it was woken leaves what it was woken for to the next.
      if (signal?.aborted === true) this.#wakeReader();
    }
  }

  /** Gives back bytes that were read and not used; they are the next to be read. */
  unread(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#returned = this.#returned === undefined ? chunk : Buffer.concat([chunk, this.#returned]);
    this.#wakeReader();
  }

  /** Resolves when more may be written. Throws a {@link BrokenPipeError} when the pipe is closed for reading. */
  async write(chunk: Uint8Array, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#throwIfClosed();
    if (chunk.length === 0) return;
    this.#push(chunk);
    while (this.#buffered >= HIGH_WATER_BYTES) {
      await waitIn(this.#writers, signal);
      signal?.throwIfAborted();
      if (this.#broken !== undefined) throw this.#broken;
    }
  }

  /** An end of input that later input may follow, as Ctrl-D on a terminal. */
  endOnce(): void {
    if (!this.#ended && this.#broken === undefined) this.#push(new Uint8Array());
  }

  /** Nothing more will be written. */
  end(): void {
    this.#ended = true;
    this.#wakeAll();
  }

  /** Drops what is unread. Later writes throw `error`, as do reads. */
  destroy(error: Error = new BrokenPipeError()): void {
    if (this.#broken !== undefined) return;
    this.#broken = error;
    while (this.#chunks.shift() !== undefined);
    this.#returned = undefined;
    this.#buffered = 0;
    this.#wakeAll();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const chunk = await this.read();
      if (chunk === undefined) return;
      yield chunk;
    }
  }

  #throwIfClosed(): void {
    if (this.#broken !== undefined) throw this.#broken;
    if (this.#ended) throw new BrokenPipeError();
  }

  #push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    this.#wakeReader();
  }

  #wakeReader(): void {
    const [first] = this.#readers;
    first?.wake();
  }

  #wakeAll(): void {
    for (const waiter of this.#readers) waiter.wake();
    this.#wakeWriters();
  }

  #wakeWriters(): void {
    for (const waiter of this.#writers) waiter.wake();
  }
}

/** Waits in `queue` until it is woken, or until `signal` aborts. */
function waitIn(queue: Set<Waiter>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const waiter: Waiter = {
      wake() {
        queue.delete(waiter);
        signal?.removeEventListener("abort", waiter.wake);
        resolve();
      },
    };
    signal?.addEventListener("abort", waiter.wake, { once: true });
    queue.add(waiter);
  });
}

/** Makes the two ends of a connection in memory. */
export function streamPair(): readonly [ByteStream, ByteStream] {
  const [there, back] = [new BytePipe(), new BytePipe()];
  return [streamOf(back, there), streamOf(there, back)];
}

function streamOf(from: BytePipe, to: BytePipe): ByteStream {
  let isFinished = false;
  return {
    write: (chunk) => to.write(chunk),
    async end() {
      isFinished = true;
      to.end();
    },
    destroy(error) {
      from.destroy(error);
      // What was written before an end arrives all the same.
      if (error !== undefined || !isFinished) to.destroy(error ?? new Error("connection reset by peer"));
    },
    async *[Symbol.asyncIterator]() {
      try {
        yield* from;
      } finally {
        from.destroy();
      }
    },
  };
}

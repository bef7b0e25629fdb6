import { Fifo } from "../../../base/collections/fifo.js";

/**
 * The reading half of a stream: chunks that arrive wait here until an async iteration takes them. `onTaken` is called when the reader
 * takes or drops what waited, so that the owner can let more arrive.
 */
export class ChunkPipe implements AsyncIterable<Uint8Array> {
  readonly #chunks = new Fifo<Uint8Array>();
  #ended = false;
  #error: Error | undefined;
  #waiting: { resolve(result: IteratorResult<Uint8Array>): void; reject(error: Error): void } | undefined;

  constructor(private readonly onTaken: (bytes: number, chunks: number) => void) {}

  /** True when nothing more comes. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Adds a chunk. Returns true when it waits now; false when a reader took it at once, or it was dropped. */
  push(chunk: Uint8Array): boolean {
    if (this.#ended || chunk.length === 0) return false;
    const waiting = this.#waiting;
    if (waiting === undefined) {
      this.#chunks.push(chunk);
      return true;
    }
    this.#waiting = undefined;
    waiting.resolve({ done: false, value: chunk });
    return false;
  }

  /** Ends the stream after the chunks that wait; with an error, the reader gets that in place of the end. */
  end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.#finish();
  }

  /** Drops what waits and what comes. The reader gets `error`, or an end. */
  abandon(error?: Error): void {
    let [bytes, chunks] = [0, 0];
    for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) {
      bytes += chunk.length;
      chunks++;
    }
    this.end(error);
    if (chunks > 0) this.onTaken(bytes, chunks);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: () => this.#take(),
      return: () => {
        this.abandon();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  #take(): Promise<IteratorResult<Uint8Array>> {
    const chunk = this.#chunks.shift();
    if (chunk === undefined) {
      return new Promise((resolve, reject) => {
        this.#waiting = { resolve, reject };
        if (this.#ended) this.#finish();
      });
    }
    this.onTaken(chunk.length, 1);
    return Promise.resolve({ done: false, value: chunk });
  }

  #finish(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    const error = this.#error;
    // An error is thrown once, as a generator does.
    this.#error = undefined;
    if (error === undefined) waiting.resolve({ done: true, value: undefined });
    else waiting.reject(error);
  }
}

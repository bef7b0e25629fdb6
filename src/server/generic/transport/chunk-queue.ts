import { type Deferred, deferred } from "../../../base/async/deferred.js";

const HIGH_WATER_BYTES = 64 * 1024;

/** A queue of bytes from one writer to one reader. It copies each chunk. */
export class ChunkQueue implements AsyncIterable<Uint8Array> {
  /** Called once when the reader stops before the end. */
  onAbandoned: (() => void) | undefined;
  readonly #chunks: Uint8Array[] = [];
  #queuedBytes = 0;
  #finished = false;
  #error: Error | undefined;
  #readable: Deferred<void> | undefined;
  #writable: Deferred<void> | undefined;

  /** Queues a chunk. Resolves once at most {@link HIGH_WATER_BYTES} are queued; with `wait` false, at once. */
  async push(chunk: Uint8Array, wait = true): Promise<void> {
    if (this.#error !== undefined) throw this.#error;
    if (chunk.length > 0) {
      this.#chunks.push(chunk.slice());
      this.#queuedBytes += chunk.length;
      this.#wake();
    }
    while (wait && this.#queuedBytes > HIGH_WATER_BYTES && this.#error === undefined) {
      this.#writable ??= deferred<void>();
      await this.#writable.promise;
    }
  }

  get finished(): boolean {
    return this.#finished;
  }

  finish(): void {
    this.#finished = true;
    this.#wake();
  }

  /** Fails the reader with `error` after the queued chunks. */
  fail(error: Error): void {
    if (this.#finished || this.#error !== undefined) return;
    this.#error = error;
    this.#wake();
    this.#letWrite();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    let complete = false;
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          this.#queuedBytes -= chunk.length;
          if (this.#queuedBytes <= HIGH_WATER_BYTES) this.#letWrite();
          yield chunk;
          continue;
        }
        if (this.#finished) {
          complete = true;
          return;
        }
        if (this.#error !== undefined) throw this.#error;
        this.#readable = deferred<void>();
        await this.#readable.promise;
      }
    } finally {
      if (!complete) {
        this.onAbandoned?.();
        this.fail(new Error("the client is gone"));
      }
    }
  }

  #wake(): void {
    this.#readable?.resolve();
    this.#readable = undefined;
  }

  #letWrite(): void {
    this.#writable?.resolve();
    this.#writable = undefined;
  }
}

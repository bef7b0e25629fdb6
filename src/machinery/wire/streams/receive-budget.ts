/**
 * Bytes that may wait. Not more, because chunks that wait while V8 collects garbage move to its old generation, where their memory stays
 * much longer: with 2 MiB `exec` grew by 40 MB, with this by less than 30.
 */
const MOST_WAITING_BYTES = 128 * 1024;
/** A chunk counts so many bytes more than it has, because many short ones take more memory than their bytes. */
const CHUNK_BYTES = 256;

/**
 * Bounds what waits for the readers of a connection's streams. A connection that has more than the budget reads no more from its peer
 * until the readers have taken some of it.
 */
export class ReceiveBudget {
  #waiting = 0;
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(private most: number = MOST_WAITING_BYTES) {}

  /** Lets so many bytes wait from now on. */
  enlarge(most: number): void {
    this.most = most;
    if (this.hasRoom) this.#wake?.();
  }

  add(bytes: number): void {
    this.#waiting += bytes + CHUNK_BYTES;
  }

  take(bytes: number, chunks: number): void {
    this.#waiting -= bytes + chunks * CHUNK_BYTES;
    if (this.#waiting < this.most) this.#wake?.();
  }

  /** The connection is over: nothing waits for room any more. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** True while more may be read at once. */
  get hasRoom(): boolean {
    return this.#closed || this.#waiting < this.most;
  }

  /** Resolves when more may be read. One caller at a time. */
  async room(): Promise<void> {
    while (!this.hasRoom) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
  }
}

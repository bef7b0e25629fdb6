/**
 * A mutex per key, first come first served. Concurrent updates of one object would conflict when they write and start again;
 * with the mutex they run one after the other. A holder must not take the same key again.
 */
export class KeyedMutex {
  /** The last update of each key that has any. */
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const running = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, running);
    try {
      return await running;
    } finally {
      if (this.#last.get(key) === running) this.#last.delete(key);
    }
  }
}

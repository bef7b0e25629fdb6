/**
 * For each key one at a time, in the order in which they came: those who change what others change meanwhile would only
 * find out when they write, and do all their work again. Whoever has a turn must not wait for another one of the same key.
 */
export class Turns {
  /** Of the keys that somebody is at, the last to come. */
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(key: string, run: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const running = before === undefined ? run() : before.then(run, run);
    this.#last.set(key, running);
    try {
      return await running;
    } finally {
      if (this.#last.get(key) === running) this.#last.delete(key);
    }
  }
}

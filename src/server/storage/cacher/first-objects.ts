/** Callbacks for the first object below a prefix. Prefixes are whole key prefixes ending in "/". */
export class FirstObjects {
  readonly #waiting = new Map<string, readonly (() => void)[]>();

  /** Calls `listener` once, when an object below `prefix` is created; never after the returned function is called. */
  wait(prefix: string, listener: () => void): () => void {
    this.#waiting.set(prefix, [...(this.#waiting.get(prefix) ?? []), listener]);
    return () => {
      const others = this.#waiting.get(prefix)?.filter((one) => one !== listener) ?? [];
      if (others.length === 0) this.#waiting.delete(prefix);
      else this.#waiting.set(prefix, others);
    };
  }

  /** An object was created at `key`. */
  created(key: string): void {
    if (this.#waiting.size === 0) return;
    for (let end = key.indexOf("/", 1); end !== -1; end = key.indexOf("/", end + 1)) this.#call(key.slice(0, end + 1));
  }

  /** Many objects may have been created. */
  lookAgain(isEmpty: (prefix: string) => boolean): void {
    for (const prefix of this.#waiting.keys()) if (!isEmpty(prefix)) this.#call(prefix);
  }

  #call(prefix: string): void {
    const listeners = this.#waiting.get(prefix);
    if (listeners === undefined) return;
    this.#waiting.delete(prefix);
    for (const listener of listeners) listener();
  }
}

/**
 * Counts how often work looks at its input: each field, item and list of keys that it reads of a value, at any depth. Unlike time the
 * count is the same on every machine, and unlike a count of yields it sees a search that hides between two of them.
 */
export class CountedReads {
  count = 0;
  readonly #seen = new WeakMap<object, object>();

  /** The same value, whose reads are counted. */
  of<T>(value: T): T {
    if (typeof value !== "object" || value === null) return value;
    let counted = this.#seen.get(value);
    if (counted === undefined) {
      counted = new Proxy(value, {
        get: (target, key, receiver) => {
          this.count += 1;
          return this.of<unknown>(Reflect.get(target, key, receiver));
        },
        has: (target, key) => {
          this.count += 1;
          return Reflect.has(target, key);
        },
        getOwnPropertyDescriptor: (target, key) => {
          this.count += 1;
          return Reflect.getOwnPropertyDescriptor(target, key);
        },
        ownKeys: (target) => {
          const keys = Reflect.ownKeys(target);
          this.count += keys.length;
          return keys;
        },
      });
      this.#seen.set(value, counted);
      this.#seen.set(counted, counted);
    }
    return counted as T;
  }
}

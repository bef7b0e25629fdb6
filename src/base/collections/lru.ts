/** A map that forgets the entry that was not used for longest, once it holds more than `capacity`. */
export class Lru<K, V> {
  readonly #entries = new Map<K, V>();

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.#entries.size;
  }

  /** The value at the key, which counts as used. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.capacity) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest as K);
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  /** From the one that was not used for longest. */
  entries(): IterableIterator<[K, V]> {
    return this.#entries.entries();
  }
}

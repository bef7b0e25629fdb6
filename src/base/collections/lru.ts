import type { Clock } from "../time/clock.js";

/** A map that removes its least recently used entry once it holds more than `capacity`. */
export class Lru<K, V> {
  readonly #entries = new Map<K, V>();

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the value at the key, and marks it as used. */
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

  /** Returns the entries, the least recently used first. */
  entries(): IterableIterator<[K, V]> {
    return this.#entries.entries();
  }
}

/** An LRU cache whose entries expire. */
export class ExpiringLru<V> {
  readonly #entries: Lru<string, { readonly value: V; readonly expires: number }>;

  constructor(
    capacity: number,
    private readonly clock: Clock,
  ) {
    this.#entries = new Lru(capacity);
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (this.clock.now() < entry.expires) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Keeps `value` for `ttl` milliseconds; 0 keeps nothing. */
  set(key: string, value: V, ttl: number): void {
    if (ttl > 0) this.#entries.set(key, { value, expires: this.clock.now() + ttl });
  }
}

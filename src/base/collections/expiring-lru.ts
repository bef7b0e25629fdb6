import type { Clock } from "../time/clock.js";
import { Lru } from "./lru.js";

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

  /** `ttl` is in milliseconds; with 0 nothing is kept. */
  set(key: string, value: V, ttl: number): void {
    if (ttl > 0) this.#entries.set(key, { value, expires: this.clock.now() + ttl });
  }
}

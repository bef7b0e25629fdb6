import type { Clock } from "../../base/time/clock.js";
import { Lru } from "../../base/collections/lru.js";
import type { CoreEvent } from "./event-objects.js";
import { keyOf } from "./event-key.js";

export interface SpamFilterOptions {
  readonly clock: Clock;
  /** How many objects are remembered. */
  readonly cacheSize: number;
  /** How many events of one type a source may send about an object at once. */
  readonly burst: number;
  /** After how many seconds it may send one more. */
  readonly refillSeconds: number;
}

interface Bucket {
  readonly tokens: number;
  /** When they were counted, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Limits how many events a source sends about an object. */
export class SpamFilter {
  readonly #buckets: Lru<string, Bucket>;

  constructor(private readonly options: SpamFilterOptions) {
    this.#buckets = new Lru(options.cacheSize);
  }

  /** Takes a token for the event; false when there is none. */
  accepts(event: CoreEvent): boolean {
    const { clock, burst, refillSeconds } = this.options;
    const { uid, kind, namespace, name, apiVersion } = event.involvedObject;
    const { component, host } = event.source;
    const key = keyOf(component, host, kind, namespace, name, uid, apiVersion, event.type);
    const now = clock.now();
    const { tokens, at } = this.#buckets.get(key) ?? { tokens: burst, at: now };
    const refilled = Math.min(burst, tokens + Math.max(0, now - at) / (refillSeconds * 1000));
    const isAccepted = refilled >= 1;
    this.#buckets.set(key, { tokens: isAccepted ? refilled - 1 : refilled, at: now });
    return isAccepted;
  }
}

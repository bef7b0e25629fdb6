import type { Clock } from "../../base/time/clock.js";

/** After this time a controller acts again although the cache has not shown what it waits for. */
const TIMEOUT_MS = 5 * 60_000;

interface Expected {
  creations: number;
  /** "<namespace>/<name>" of the pods whose deletion was asked for. */
  readonly deletions: Set<string>;
  readonly since: number;
}

/**
 * Records the requests of a controller that its cache does not show yet, by the key of the controlling object. Until the cache
 * shows them, the controller creates and deletes nothing for that object, because it would do so twice.
 */
export class Expectations {
  readonly #expected = new Map<string, Expected>();

  constructor(private readonly clock: Clock) {}

  /** Replaces what was expected for the key. */
  expect(key: string, { creations = 0, deletions = [] as Iterable<string> }): void {
    this.#expected.set(key, { creations, deletions: new Set(deletions), since: this.clock.now() });
  }

  /** `count` creations were seen, or will never be: they failed. */
  created(key: string, count = 1): void {
    const expected = this.#expected.get(key);
    if (expected !== undefined) expected.creations -= count;
  }

  /** The deletion of a pod was seen, or failed. */
  deleted(key: string, pod: string): void {
    this.#expected.get(key)?.deletions.delete(pod);
  }

  /** Whether the controller may act for the key. */
  satisfied(key: string): boolean {
    const expected = this.#expected.get(key);
    if (expected === undefined) return true;
    const fulfilled = expected.creations <= 0 && expected.deletions.size === 0;
    return fulfilled || this.clock.now() - expected.since > TIMEOUT_MS;
  }

  /** The controlling object is gone. */
  forget(key: string): void {
    this.#expected.delete(key);
  }
}

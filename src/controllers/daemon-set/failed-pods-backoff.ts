import type { Clock } from "../../base/time/clock.js";

const FIRST_MS = 1000;
const LONGEST_MS = 15 * 60_000;

interface Entry {
  readonly wait: number;
  readonly since: number;
}

/** How long failed pods are left before they are replaced: a second, then twice as long each time, up to 15 minutes. */
export class FailedPodsBackoff {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly clock: Clock) {}

  /** Milliseconds that a pod of this key must still be left. When it need not, that counts as a replacement. */
  replace(key: string): number {
    const now = this.clock.now();
    const last = this.#entries.get(key);
    const age = now - (last?.since ?? now);
    if (last !== undefined && age < last.wait) return last.wait - age;
    const isRecent = last !== undefined && age <= 2 * LONGEST_MS;
    this.#entries.set(key, { wait: isRecent ? Math.min(2 * last.wait, LONGEST_MS) : FIRST_MS, since: now });
    return 0;
  }

  /** Forgets what began with this. */
  forget(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}

import type { Clock } from "../../../base/clock.js";

/** A lease serves keys with nearly the same time to live: it may outlive them by this share of it, */
const REUSE_SHARE = 0.05;
/** but not by more than this. */
const REUSE_SECONDS = 60;
/** Keys of one lease go together, so it has at most these many. */
const MOST_KEYS = 1000;

interface Lease {
  readonly id: Promise<bigint>;
  /** Milliseconds since the Unix epoch. */
  readonly expires: number;
  keys: number;
}

/**
 * Gives keys their leases, with as few leases as kube-apiserver uses. A key lives at least as long as was asked and at
 * most 5 % longer, or 60 seconds if that is less.
 */
export class Leases {
  #last: Lease | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly grant: (seconds: number) => Promise<bigint>,
  ) {}

  /** For one key. Rejects with what `grant` does. */
  leaseFor(seconds: number): Promise<bigint> {
    const now = this.clock.now();
    const extra = Math.min(REUSE_SECONDS, Math.floor(seconds * REUSE_SHARE));
    const last = this.#last;
    if (last !== undefined && last.keys < MOST_KEYS && this.#fits(last, now, seconds, extra)) {
      last.keys++;
      return last.id;
    }
    const lease: Lease = { id: this.grant(seconds + extra), expires: now + (seconds + extra) * 1000, keys: 1 };
    this.#last = lease;
    lease.id.catch(() => this.#forget(lease));
    return lease.id;
  }

  /** etcd does not know it any more. */
  async drop(id: bigint): Promise<void> {
    const last = this.#last;
    if (last !== undefined && (await last.id.catch(() => undefined)) === id) this.#forget(last);
  }

  #fits(lease: Lease, now: number, seconds: number, extra: number): boolean {
    return lease.expires > now + seconds * 1000 && lease.expires <= now + (seconds + extra) * 1000;
  }

  #forget(lease: Lease): void {
    if (this.#last === lease) this.#last = undefined;
  }
}

import type { Clock } from "../../../base/time/clock.js";

/** Keys with nearly the same time to live share a lease. The lease may outlive a key's time to live by this share of it, */
const REUSE_SHARE = 0.05;
/** but by no more than this, where the store does not say. */
const REUSE_SECONDS = 60;
/** All keys of a lease expire together, so a lease has at most this many. */
const MOST_KEYS = 1000;

interface Lease {
  readonly id: Promise<bigint>;
  /** Milliseconds since the Unix epoch. */
  readonly expires: number;
  keys: number;
}

/**
 * Assigns leases to keys and uses as few as kube-apiserver does. A key lives at least as long as requested and at most 5 %
 * longer, or `reuseSeconds` longer if that is less.
 */
export class Leases {
  #last: Lease | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly grant: (seconds: number) => Promise<bigint>,
    private readonly reuseSeconds = REUSE_SECONDS,
  ) {}

  /** Returns a lease for one key. Rejects as `grant` does. */
  leaseFor(seconds: number): Promise<bigint> {
    const now = this.clock.now();
    const extra = Math.min(this.reuseSeconds, Math.floor(seconds * REUSE_SHARE));
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

  /** Drops a lease that etcd no longer knows. */
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

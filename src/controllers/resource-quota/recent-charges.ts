import { addUsage, moreUsage, type Usage, usageOf } from "../../api/quota/index.js";
import type { ResourceQuota } from "../../api/types/core/v1.js";
import {
  addQuantities,
  compareQuantities,
  negateQuantity,
  type Quantity,
  zeroQuantity,
} from "../../machinery/quantity/quantity.js";

/** How long a request may take from its charge until the informers have its object, in milliseconds, however busy the machine is. */
const UNDER_WAY = 30_000;

/** How long a charge counts whatever objects were seen, in milliseconds: which object it was for is not known. */
const UNSEEN = 2000;

interface Charge {
  readonly at: number;
  /** All of it. */
  readonly whole: ReadonlyMap<string, Quantity>;
  /** What of it no object is known for yet. */
  readonly amounts: Usage;
}

/**
 * What quotas were charged of late for objects that the informers do not have yet, by the quotas' keys. A server charges a quota before it
 * stores the object: a count of objects alone would make room for more than the quota allows.
 */
export class RecentCharges {
  readonly #charges = new Map<string, readonly Charge[]>();
  readonly #noted = new Map<string, string>();

  /** Notes what a version of the quota has more than the one before it; `before` is undefined for a quota that was not known. */
  note(key: string, before: ResourceQuota | undefined, after: ResourceQuota, now: number): void {
    this.#noted.set(key, after.metadata?.resourceVersion ?? "");
    const amounts = moreUsage(usageOf(after.status?.used), usageOf(before?.status?.used));
    if (amounts.size > 0)
      this.#charges.set(key, [...this.#current(key, now), { at: now, whole: new Map(amounts), amounts }]);
  }

  /** Whether this version of the quota was noted. What one that was not was charged is not known here. */
  hasNoted(key: string, { metadata }: ResourceQuota): boolean {
    return this.#noted.get(key) === (metadata?.resourceVersion ?? "");
  }

  /** Takes from the charges what an object was just seen to use, or to use more than before, the first ones first. */
  settle(key: string, usage: Usage, now: number): void {
    const early: Usage = new Map();
    for (const [name, amount] of usage) {
      let left = amount;
      for (const { amounts } of this.#current(key, now)) {
        const charged = amounts.get(name);
        if (charged === undefined || charged.unscaled <= 0n) continue;
        if (compareQuantities(charged, left) > 0) {
          amounts.set(name, addQuantities(charged, negateQuantity(left)));
          left = zeroQuantity;
          break;
        }
        amounts.delete(name);
        left = addQuantities(left, negateQuantity(charged));
      }
      if (left.unscaled > 0n) early.set(name, negateQuantity(left));
    }
    // The informer of objects may be ahead of that of quotas: the charge is yet to be noted.
    if (early.size > 0)
      this.#charges.set(key, [...this.#current(key, now), { at: now, whole: new Map(), amounts: early }]);
  }

  forget(key: string): void {
    this.#charges.delete(key);
    this.#noted.delete(key);
  }

  /** The sum of what may be under way. */
  of(key: string, now: number): Usage {
    const sum: Usage = new Map();
    for (const { at, whole, amounts } of this.#current(key, now)) addUsage(sum, at + UNSEEN > now ? whole : amounts);
    return new Map([...sum].filter(([, { unscaled }]) => unscaled > 0n));
  }

  /** When the first of them is over, in milliseconds from `now`; undefined where there are none. */
  nextEnd(key: string, now: number): number | undefined {
    const ends = this.#current(key, now).map(({ at }) => at + (at + UNSEEN > now ? UNSEEN : UNDER_WAY) - now);
    return ends.length === 0 ? undefined : Math.min(...ends);
  }

  #current(key: string, now: number): readonly Charge[] {
    const charges = this.#charges.get(key);
    if (charges === undefined) return [];
    const current = charges.filter(
      ({ at, amounts }) => at <= now && (at + UNSEEN > now || (at + UNDER_WAY > now && amounts.size > 0)),
    );
    if (current.length === 0) this.#charges.delete(key);
    else this.#charges.set(key, current);
    return current;
  }
}

import { addUsage, moreUsage, type Usage, usageOf } from "../../api/quota/index.js";
import type { ResourceQuota } from "../../api/types/core/v1.js";
import { addQuantities, compareQuantities, negateQuantity } from "../../machinery/quantity/quantity.js";

/** How long a request may take from its charge until the informers have its object, in milliseconds, however busy the machine is. */
const UNDER_WAY = 30_000;

interface Charge {
  readonly at: number;
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
    if (amounts.size > 0) this.#charges.set(key, [...this.#current(key, now), { at: now, amounts }]);
  }

  /** Whether this version of the quota was noted. What one that was not was charged is not known here. */
  hasNoted(key: string, { metadata }: ResourceQuota): boolean {
    return this.#noted.get(key) === (metadata?.resourceVersion ?? "");
  }

  /** Takes from the charges what an object was just seen to use, or to use more than before, the first ones first. */
  settle(key: string, usage: Usage, now: number): void {
    for (const [name, amount] of usage) {
      let left = amount;
      for (const { amounts } of this.#current(key, now)) {
        const charged = amounts.get(name);
        if (charged === undefined) continue;
        if (compareQuantities(charged, left) > 0) {
          amounts.set(name, addQuantities(charged, negateQuantity(left)));
          break;
        }
        amounts.delete(name);
        left = addQuantities(left, negateQuantity(charged));
      }
    }
  }

  forget(key: string): void {
    this.#charges.delete(key);
    this.#noted.delete(key);
  }

  /** The sum of what may be under way. */
  of(key: string, now: number): Usage {
    const sum: Usage = new Map();
    for (const { amounts } of this.#current(key, now)) addUsage(sum, amounts);
    return sum;
  }

  /** When the first of them is over, in milliseconds from `now`; undefined where there are none. */
  nextEnd(key: string, now: number): number | undefined {
    const [first] = this.#current(key, now);
    return first === undefined ? undefined : first.at + UNDER_WAY - now;
  }

  #current(key: string, now: number): readonly Charge[] {
    const charges = this.#charges.get(key);
    if (charges === undefined) return [];
    const current = charges.filter(({ at, amounts }) => at + UNDER_WAY > now && at <= now && amounts.size > 0);
    if (current.length === 0) this.#charges.delete(key);
    else this.#charges.set(key, current);
    return current;
  }
}

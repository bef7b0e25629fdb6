import { addUsage, moreUsage, type Usage, usageOf } from "../../api/quota/index.js";
import type { ResourceQuota } from "../../api/types/core/v1.js";
import { addQuantities, negateQuantity, type Quantity } from "../../machinery/quantity/quantity.js";

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
  /** Objects that were seen before their charges. */
  readonly #early = new Map<string, Pick<Charge, "at" | "amounts">[]>();
  readonly #noted = new Map<string, string>();

  /**
   * Notes what a version of the quota has more than the one before it; `before` is undefined for a quota that was not known. What a quota
   * had when the informer began is old, but for what may be under way right now.
   */
  note(key: string, before: ResourceQuota | undefined, after: ResourceQuota, now: number, isInitial = false): void {
    this.#noted.set(key, after.metadata?.resourceVersion ?? "");
    const whole = moreUsage(usageOf(after.status?.used), usageOf(before?.status?.used));
    if (whole.size === 0) return;
    const at = isInitial ? now - UNDER_WAY + UNSEEN : now;
    const amounts: Usage = new Map(whole);
    for (const { at: since, amounts: early } of this.#early.get(key) ?? []) {
      if (since + UNSEEN > now && since <= now) take(early, amounts);
    }
    this.#charges.set(key, [...this.#current(key, now), { at, whole, amounts }]);
  }

  /** Whether this version of the quota was noted. What one that was not was charged is not known here. */
  hasNoted(key: string, { metadata }: ResourceQuota): boolean {
    return this.#noted.get(key) === (metadata?.resourceVersion ?? "");
  }

  /** Takes from the charges what an object was just seen to use, or to use more than before, the first ones first. */
  settle(key: string, usage: Usage, now: number): void {
    const left: Usage = new Map(usage);
    for (const { amounts } of this.#current(key, now)) take(left, amounts);
    // The informer of objects may be ahead of that of quotas: the charge is yet to be noted.
    const early = (this.#early.get(key) ?? []).filter(({ at, amounts }) => at + UNSEEN > now && amounts.size > 0);
    if (left.size > 0) early.push({ at: now, amounts: left });
    if (early.length > 0) this.#early.set(key, early);
    else this.#early.delete(key);
  }

  forget(key: string): void {
    this.#charges.delete(key);
    this.#early.delete(key);
    this.#noted.delete(key);
  }

  /** The sum of what may be under way. */
  of(key: string, now: number): Usage {
    const sum: Usage = new Map();
    for (const { at, whole, amounts } of this.#current(key, now)) addUsage(sum, at + UNSEEN > now ? whole : amounts);
    return sum;
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

/** Takes what both have from both. */
function take(from: Usage, amounts: Usage): void {
  for (const [name, amount] of from) {
    const other = amounts.get(name);
    if (other === undefined) continue;
    const rest = addQuantities(amount, negateQuantity(other));
    if (rest.unscaled > 0n) from.set(name, rest);
    else from.delete(name);
    if (rest.unscaled < 0n) amounts.set(name, negateQuantity(rest));
    else amounts.delete(name);
  }
}

import type { KubeObject } from "../../machinery/meta/object.js";
import type { DeleteOptions } from "./delete-options.js";
import { metadataOf, timestamp } from "./metadata.js";
import type { Strategy } from "./strategy.js";

export type DeletionDecision =
  | { readonly kind: "now" }
  /** Already on its way; nothing changes. */
  | { readonly kind: "pending" }
  | Mark;

interface Mark {
  readonly kind: "mark";
  readonly deletionTimestamp: string;
  readonly gracePeriodSeconds: number;
  /** The object was not being deleted before. */
  readonly first: boolean;
}

/** Seconds in a hundred years: an int64 of them is more than a timestamp can tell. */
const LONGEST_GRACE = 3_155_760_000;

/**
 * What a DELETE does to `object`: removes it, or gives it a deletionTimestamp because a grace period or a finalizer
 * keeps it. A grace period can only be shortened.
 */
export function decideDeletion(
  object: KubeObject,
  options: DeleteOptions,
  strategy: Strategy,
  now: number,
): DeletionDecision {
  const metadata = object.metadata ?? {};
  const asked = options.gracePeriodSeconds;
  const requested = asked === undefined ? undefined : asked < 0 ? 1 : Math.min(asked, LONGEST_GRACE);
  const held = (metadata.finalizers ?? []).length > 0 || strategy.holdsDeletion?.(object) === true;

  if (metadata.deletionTimestamp !== undefined) {
    const current = metadata.deletionGracePeriodSeconds ?? 0;
    if (strategy.gracePeriod === undefined || current === 0) return held ? { kind: "pending" } : { kind: "now" };
    if (requested === undefined || requested >= current) return { kind: "pending" };
    if (requested === 0 && !held) return { kind: "now" };
    const shortened = Date.parse(metadata.deletionTimestamp) - (current - requested) * 1000;
    const past = shortened < now;
    return {
      kind: "mark",
      deletionTimestamp: timestamp(Math.max(shortened, now)),
      gracePeriodSeconds: past && requested !== 0 ? 1 : requested,
      first: false,
    };
  }

  const period = Math.min(strategy.gracePeriod?.(object, requested) ?? 0, LONGEST_GRACE);
  if (period === 0 && !held) return { kind: "now" };
  return {
    kind: "mark",
    deletionTimestamp: timestamp(now + period * 1000),
    gracePeriodSeconds: period,
    first: true,
  };
}

/** Puts a decision on the draft of an object. */
export function marked(draft: KubeObject, decision: Mark): KubeObject {
  const metadata = metadataOf(draft);
  metadata.deletionTimestamp = decision.deletionTimestamp;
  metadata.deletionGracePeriodSeconds = decision.gracePeriodSeconds;
  if (decision.first && (metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
  return draft;
}

/** An update that takes the last finalizer off an object whose grace is over deletes it. */
export function shouldDeleteDuringUpdate(draft: KubeObject, old: KubeObject): boolean {
  if ((draft.metadata?.finalizers ?? []).length > 0) return false;
  if (old.metadata?.deletionTimestamp === undefined) return false;
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

import type { deletionOptions } from "../../component/apiserver-flags/etcd.js";
import type { OptionsOf } from "../../component/option-group.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ValidDeleteOptions } from "./resource.js";
import { assign, metadataOf, timestamp } from "./metadata.js";
import type { Strategy } from "./strategy.js";

/** The finalizers that tell the garbage collector to orphan an object's dependents or to delete them first. */
const ORPHAN_DEPENDENTS = "orphan";
const DELETE_DEPENDENTS = "foregroundDeletion";

/** The options for how objects are deleted. */
export type DeletionOptions = OptionsOf<typeof deletionOptions>;

/** {@link DeletionOptions}, and the rules for unreadable objects. */
export interface DeletionRules extends DeletionOptions {
  /**
   * Whether objects that cannot be decrypted or decoded may be deleted, by requests that ask for it and by users with the verb
   * "unsafe-delete-ignore-read-errors": kube-apiserver's feature gate AllowUnsafeMalformedObjectDeletion. Default false.
   */
  readonly unreadable?: boolean | undefined;
}

export type DeletionDecision =
  | { readonly kind: "now" }
  /** The object is being deleted already, and the request changes nothing. */
  | { readonly kind: "pending" }
  | Mark;

interface Mark {
  readonly kind: "mark";
  readonly deletionTimestamp: string;
  /** Undefined for a kind without metadata.deletionGracePeriodSeconds. */
  readonly gracePeriodSeconds: number | undefined;
  readonly finalizers: readonly string[];
  /** This request begins the deletion: the object had no deletionTimestamp. */
  readonly first: boolean;
  /**
   * No finalizer or grace period keeps the marked object, so the Store removes it next. Watchers get MODIFIED, then DELETED.
   */
  readonly thenRemove: boolean;
}

/** Seconds in a hundred years. A longer grace period could put deletionTimestamp beyond the range of a timestamp. */
const LONGEST_GRACE = 3_155_760_000;

/**
 * Decides what a DELETE does to `object`: the registry removes it at once, or sets its deletionTimestamp because a grace
 * period or a finalizer keeps it. A later DELETE can shorten a grace period, not extend it. While a grace period runs, the
 * finalizers stay as they are.
 */
export function decideDeletion(
  object: KubeObject,
  options: ValidDeleteOptions,
  strategy: Strategy,
  now: number,
  { garbageCollector = true }: Pick<DeletionOptions, "garbageCollector"> = {},
): DeletionDecision {
  const { deletionTimestamp } = object.metadata ?? {};
  const first = deletionTimestamp === undefined;
  const heldByKind = strategy.holdsDeletion?.(object) === true;
  if (heldByKind && !first) return { kind: "pending" };
  const grace = graceOf(object, options, strategy, now);
  if (grace === "pending") return { kind: "pending" };
  const finalizers = garbageCollector
    ? deletionFinalizers(object, options, strategy)
    : (object.metadata?.finalizers ?? []);
  const held = heldByKind || finalizers.length > 0;
  if (grace !== undefined) {
    return { kind: "mark", ...grace, finalizers, first, thenRemove: !held && grace.gracePeriodSeconds === 0 };
  }
  if (!held) return { kind: "now" };
  const begun = first || Date.parse(deletionTimestamp) > now ? timestamp(now) : deletionTimestamp;
  const gracePeriodSeconds = strategy.holdsDeletion === undefined ? 0 : undefined;
  return { kind: "mark", deletionTimestamp: begun, gracePeriodSeconds, finalizers, first, thenRemove: false };
}

/**
 * The deletionTimestamp and grace period of a graceful deletion. Undefined when the kind has no graceful deletion or the
 * grace period is over. "pending" when the request would not shorten the one that runs.
 */
function graceOf(
  object: KubeObject,
  options: ValidDeleteOptions,
  strategy: Strategy,
  now: number,
): { deletionTimestamp: string; gracePeriodSeconds: number } | "pending" | undefined {
  if (strategy.gracePeriod === undefined) return undefined;
  const asked = options.gracePeriodSeconds;
  const requested = asked === undefined ? undefined : asked < 0 ? 1 : Math.min(asked, LONGEST_GRACE);
  const { deletionTimestamp, deletionGracePeriodSeconds: current = 0 } = object.metadata ?? {};
  if (deletionTimestamp === undefined) {
    const period = Math.min(strategy.gracePeriod(object, requested), LONGEST_GRACE);
    return { deletionTimestamp: timestamp(now + period * 1000), gracePeriodSeconds: period };
  }
  if (current === 0) return undefined;
  if (requested === undefined || requested >= current) return "pending";
  const shortened = Date.parse(deletionTimestamp) - (current - requested) * 1000;
  const past = shortened < now;
  return {
    deletionTimestamp: timestamp(Math.max(shortened, now)),
    gracePeriodSeconds: past && requested !== 0 ? 1 : requested,
  };
}

/**
 * Adds the finalizer of the propagation policy to the object's own. Without a policy in the request, the finalizers on the
 * object decide, then the strategy.
 */
function deletionFinalizers(object: KubeObject, options: ValidDeleteOptions, strategy: Strategy): readonly string[] {
  const before = object.metadata?.finalizers ?? [];
  const after = before.filter((one) => one !== ORPHAN_DEPENDENTS && one !== DELETE_DEPENDENTS);
  switch (propagationOf(before, options, strategy)) {
    case "Orphan":
      after.push(ORPHAN_DEPENDENTS);
      break;
    case "Foreground":
      after.push(DELETE_DEPENDENTS);
      break;
    case "Background":
  }
  return after.length === before.length && after.every((one) => before.includes(one)) ? before : after;
}

function propagationOf(
  finalizers: readonly string[],
  { orphanDependents, propagationPolicy }: ValidDeleteOptions,
  { garbageCollection = "Background" }: Strategy,
): "Orphan" | "Background" | "Foreground" {
  if (garbageCollection === "Unsupported") return "Background";
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  if (propagationPolicy !== undefined) return propagationPolicy;
  const wish = finalizers.find((one) => one === ORPHAN_DEPENDENTS || one === DELETE_DEPENDENTS);
  if (wish === undefined) return garbageCollection;
  return wish === ORPHAN_DEPENDENTS ? "Orphan" : "Foreground";
}

/** Writes the deletion mark into the draft's metadata. */
export function marked(draft: KubeObject, decision: Mark): KubeObject {
  const metadata = metadataOf(draft);
  metadata.deletionTimestamp = decision.deletionTimestamp;
  assign(metadata, "deletionGracePeriodSeconds", decision.gracePeriodSeconds);
  assign(metadata, "finalizers", decision.finalizers.length === 0 ? undefined : [...decision.finalizers]);
  if (decision.first && (metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
  return draft;
}

/** Whether the update removes the last finalizer of an object whose grace period has ended: the Store then deletes the object. */
export function shouldDeleteDuringUpdate(draft: KubeObject, old: KubeObject): boolean {
  if ((draft.metadata?.finalizers ?? []).length > 0) return false;
  if (old.metadata?.deletionTimestamp === undefined) return false;
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

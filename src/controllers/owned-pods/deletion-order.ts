import { dictionary } from "../../base/collections/dictionary.js";
import type { Pod } from "../../api/types/core/v1.js";
import { isReady, readySince } from "./pod-state.js";

/** The annotation by which a user says which pods go first: those with the lowest number. Default 0. */
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";

const PHASES: Readonly<Record<string, number>> = dictionary({ Pending: 0, Unknown: 1, Running: 2 });

export interface DeletionOrderOptions {
  /** How many pods of the same owners are on a pod's node: from full nodes pods go first. */
  readonly crowd: (pod: Pod) => number;
  /** In milliseconds. */
  readonly now: number;
}

/**
 * Sorts pods in the order in which a controller deletes them, the least useful first: unassigned, pending, not ready, cheap, on
 * crowded nodes, ready for a short time, often restarted, young. Times of the same magnitude count as equal, and the uid decides.
 */
export function inDeletionOrder(pods: readonly Pod[], { crowd, now }: DeletionOrderOptions): Pod[] {
  const ranked = pods.map((pod) => ({
    pod,
    uid: pod.metadata?.uid ?? "",
    // The first difference decides; the lower number goes first.
    ranks: [
      (pod.spec?.nodeName ?? "") === "" ? 0 : 1,
      PHASES[pod.status?.phase ?? ""] ?? 0,
      isReady(pod) ? 1 : 0,
      deletionCost(pod),
      -crowd(pod),
    ],
    ready: isReady(pod) ? readySince(pod) : undefined,
    restarts: restartsOf(pod),
    created: timeOf(pod.metadata?.creationTimestamp),
  }));
  ranked.sort((a, b) => {
    for (const [index, rank] of a.ranks.entries()) {
      const difference = rank - (b.ranks[index] ?? 0);
      if (difference !== 0) return difference;
    }
    if (a.ranks[2] === 1 && a.ready !== b.ready) return youngerFirst(a.ready, b.ready, now) || byUid(a, b);
    for (const kind of ["containers", "sidecars"] as const) {
      const difference = b.restarts[kind] - a.restarts[kind];
      if (difference !== 0) return difference;
    }
    return a.created === b.created ? 0 : youngerFirst(a.created, b.created, now) || byUid(a, b);
  });
  return ranked.map(({ pod }) => pod);
}

/** Makes a function that counts the pods of `related` on the node of a pod. The caller passes active pods only. */
export function crowdOn(related: readonly Pod[]): (pod: Pod) => number {
  const counts = new Map<string, number>();
  for (const { spec } of related) counts.set(spec?.nodeName ?? "", (counts.get(spec?.nodeName ?? "") ?? 0) + 1);
  return ({ spec }) => counts.get(spec?.nodeName ?? "") ?? 0;
}

function deletionCost({ metadata }: Pod): number {
  const stated = metadata?.annotations?.[DELETION_COST];
  return stated !== undefined && /^(0|-?[1-9]\d*)$/.test(stated) ? Number(stated) : 0;
}

/** The most restarts of one container, and of one sidecar. */
function restartsOf({ spec, status }: Pod): { readonly containers: number; readonly sidecars: number } {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always").map(({ name }) => name),
  );
  const most = (counts: readonly number[]): number => Math.max(0, ...counts);
  return {
    containers: most((status?.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
    sidecars: most(
      (status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)).map((one) => one.restartCount),
    ),
  };
}

/** Negative: the first goes first. 0: both are of about the same age. Unknown times go first. */
function youngerFirst(a: number | undefined, b: number | undefined, now: number): number {
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  return magnitude(now - a) - magnitude(now - b);
}

/** The power of two of a duration. Kubernetes counts nanoseconds. */
const magnitude = (milliseconds: number): number =>
  milliseconds > 0 ? Math.floor(Math.log2(milliseconds * 1_000_000)) : -1;

const byUid = (a: { readonly uid: string }, b: { readonly uid: string }): number => (a.uid < b.uid ? -1 : 1);

const timeOf = (time: string | null | undefined): number | undefined => (time == null ? undefined : Date.parse(time));

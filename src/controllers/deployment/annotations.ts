import type { Deployment, ReplicaSet } from "../../api/types/apps/v1.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import { maxSurge, wantedReplicas } from "./fenceposts.js";

export const REVISION = "deployment.kubernetes.io/revision";
const REVISION_HISTORY = "deployment.kubernetes.io/revision-history";
export const DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas";
export const MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";
export const ROLLBACK_TO = "deprecated.deployment.rollback.to";

/** A list of revisions that grows beyond so many characters loses its oldest ones. */
const HISTORY_CHARACTERS = 2000;

/** What a Deployment and its ReplicaSets each have for themselves. */
const OWN: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);

type Annotations = Readonly<Record<string, string>>;

const annotationsOf = ({ metadata }: ApiObject): Annotations => metadata?.annotations ?? {};

/** The revision in an object's annotation: 0 without the annotation, undefined where it is not a number. */
export function revisionOf(object: ApiObject): number | undefined {
  return integer(annotationsOf(object)[REVISION] ?? "0");
}

export function maxRevision(sets: readonly ReplicaSet[]): number {
  return Math.max(0, ...sets.map((set) => revisionOf(set) ?? 0));
}

/** The second highest revision; 0 when there is none. */
export function lastRevision(sets: readonly ReplicaSet[]): number {
  const revisions = sets.map((set) => revisionOf(set) ?? 0).sort((a, b) => b - a);
  return revisions[1] ?? 0;
}

/** The number of replicas that the Deployment had when the ReplicaSet was scaled last, from its annotation. */
export const desiredReplicas = (set: ReplicaSet): number | undefined => integer(annotationsOf(set)[DESIRED_REPLICAS]);
/** The largest number of pods that the Deployment allowed then, from the ReplicaSet's annotation. */
export const maxReplicas = (set: ReplicaSet): number | undefined => integer(annotationsOf(set)[MAX_REPLICAS]);

/** The annotations of a ReplicaSet with the size of the Deployment that its own size is a part of. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const wanted = wantedReplicas(deployment);
  return { [DESIRED_REPLICAS]: String(wanted), [MAX_REPLICAS]: String(wanted + maxSurge(deployment)) };
}

/**
 * The annotations of the set of the current template: the Deployment's, and the revision. A set that is used again keeps its
 * former revisions as history.
 */
export function newSetAnnotations(deployment: Deployment, set: ReplicaSet, revision: number): Annotations {
  const before = annotationsOf(set);
  const annotations = { ...before, ...withoutOwn(annotationsOf(deployment)) };
  const former = revisionOf(set);
  if (former === undefined) return before;
  if (former >= revision) return annotations;
  annotations[REVISION] = String(revision);
  if (before[REVISION] !== undefined) {
    const history = historyWith(before[REVISION_HISTORY] ?? "", before[REVISION]);
    if (history !== undefined) annotations[REVISION_HISTORY] = history;
  }
  return annotations;
}

/**
 * The annotations of the Deployment after a rollback to a ReplicaSet: those that the ReplicaSet once copied from it, and the Deployment's
 * own of kubectl apply and of the controller.
 */
export function rolledBackAnnotations(deployment: Deployment, set: ReplicaSet): Annotations {
  const own = Object.entries(annotationsOf(deployment)).filter(([key]) => OWN.has(key) && key !== ROLLBACK_TO);
  return { ...Object.fromEntries(own), ...withoutOwn(annotationsOf(set)) };
}

function withoutOwn(annotations: Annotations): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !OWN.has(key)));
}

/** Undefined where even the last revision alone is too long. */
function historyWith(history: string, revision: string): string | undefined {
  if (history === "") return revision;
  const revisions = [...history.split(","), revision];
  while (revisions.length > 1 && revisions.join(",").length > HISTORY_CHARACTERS) revisions.shift();
  const text = revisions.join(",");
  return text.length > HISTORY_CHARACTERS ? undefined : text;
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

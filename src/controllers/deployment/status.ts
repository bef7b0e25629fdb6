import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Deployment, DeploymentStatus, DeploymentCondition } from "../../api/types/apps/v1.js";
import { maxUnavailable, wantedReplicas } from "./fenceposts.js";
import { allOf, counted, type Generations, terminatingReplicas, totalSize } from "./replica-sets.js";
import { formatTime } from "../../machinery/meta/time.js";

/**
 * Computes the status of a Deployment from its ReplicaSets, without its progress. Counts of 0 are left out, as on the wire. `now`
 * in milliseconds.
 */
export function deploymentStatus(deployment: Deployment, generations: Generations, now: number): DeploymentStatus {
  const all = allOf(generations);
  const { newSet } = generations;
  const available = counted(all, "availableReplicas");
  const terminating = terminatingReplicas(all);
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  const enough = available >= wantedReplicas(deployment) - maxUnavailable(deployment);
  const availability = enough
    ? condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", now)
    : condition(
        "Available",
        "False",
        "MinimumReplicasUnavailable",
        "Deployment does not have minimum availability.",
        now,
      );
  return {
    ...positive("observedGeneration", deployment.metadata?.generation ?? 0),
    ...positive("replicas", counted(all, "replicas")),
    ...positive("updatedReplicas", newSet === undefined ? 0 : counted([newSet], "replicas")),
    ...positive("readyReplicas", counted(all, "readyReplicas")),
    ...positive("availableReplicas", available),
    ...positive("unavailableReplicas", Math.max(0, totalSize(all) - available)),
    ...(terminating !== undefined && ({ terminatingReplicas: terminating } satisfies FieldsOf<DeploymentStatus>)),
    conditions: withCondition(conditions, availability),
    ...(collisionCount !== undefined && ({ collisionCount } satisfies FieldsOf<DeploymentStatus>)),
  };
}

const positive = (field: keyof DeploymentStatus, count: number): DeploymentStatus =>
  count === 0 ? {} : { [field]: count };

type Conditions = readonly DeploymentCondition[];

export function condition(
  type: NonNullable<DeploymentCondition["type"]>,
  status: "True" | "False" | "Unknown",
  reason: string,
  message: string,
  now: number,
): DeploymentCondition {
  const time = formatTime(now);
  return { type, status, reason, message, lastUpdateTime: time, lastTransitionTime: time };
}

export function conditionOf(
  conditions: Conditions | undefined,
  type: string | undefined,
): DeploymentCondition | undefined {
  return conditions?.find((one) => one.type === type);
}

function without(conditions: Conditions, type: string | undefined): DeploymentCondition[] {
  return conditions.filter((one) => one.type !== type);
}

/**
 * Adds a condition at the end of the list. A condition with the same status and reason is left unchanged; one with the same status
 * keeps its transition time.
 */
export function withCondition(conditions: Conditions, added: DeploymentCondition): DeploymentCondition[] {
  const before = conditionOf(conditions, added.type);
  if (before?.status === added.status && before?.reason === added.reason) return [...conditions];
  const { lastTransitionTime } = (before?.status === added.status ? before : undefined) ?? added;
  return [
    ...without(conditions, added.type),
    { ...added, ...(lastTransitionTime != null && ({ lastTransitionTime } satisfies FieldsOf<DeploymentCondition>)) },
  ];
}

export const AVAILABLE = "NewReplicaSetAvailable";
export const TIMED_OUT = "ProgressDeadlineExceeded";

/** Whether the Deployment has a progress deadline; the largest int32 means that it has none. */
export function hasDeadline({ spec }: Deployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2 ** 31 - 1;
}

/** Whether every pod was created from the current template, and is available. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = wantedReplicas(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  const settled = updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted;
  return settled && observedGeneration >= (deployment.metadata?.generation ?? 0);
}

/** Computes the status with the progress of the rollout. `now` in milliseconds. */
export function rolloutStatus(deployment: Deployment, generations: Generations, now: number): DeploymentStatus {
  const status = deploymentStatus(deployment, generations, now);
  const before = conditionOf(deployment.status?.conditions, "Progressing");
  const rolledOut = (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && before?.reason === AVAILABLE;
  let conditions = status.conditions ?? [];
  if (!hasDeadline(deployment)) conditions = without(conditions, "Progressing");
  else if (!rolledOut) conditions = withProgress(conditions, { deployment, status, generations, before, now });
  const failure = replicaFailure(generations);
  conditions = failure === undefined ? without(conditions, "ReplicaFailure") : withCondition(conditions, failure);
  return { ...status, conditions };
}

interface Rollout {
  readonly deployment: Deployment;
  readonly status: DeploymentStatus;
  readonly generations: Generations;
  readonly before: DeploymentCondition | undefined;
  readonly now: number;
}

function withProgress(conditions: DeploymentCondition[], rollout: Rollout): DeploymentCondition[] {
  const { deployment, status, generations, before, now } = rollout;
  const name = generations.newSet?.metadata?.name;
  const subject = name === undefined ? `Deployment "${deployment.metadata?.name ?? ""}"` : `ReplicaSet "${name}"`;
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`;
    return withCondition(conditions, condition("Progressing", "True", AVAILABLE, message, now));
  }
  if (isProgressing(deployment.status ?? {}, status)) {
    const progress = condition("Progressing", "True", "ReplicaSetUpdated", `${subject} is progressing.`, now);
    // Written anew even for the same reason: the deadline counts from its time.
    const since = before?.status === "True" ? before.lastTransitionTime : undefined;
    return [
      ...without(conditions, "Progressing"),
      { ...progress, ...(since != null && ({ lastTransitionTime: since } satisfies FieldsOf<DeploymentCondition>)) },
    ];
  }
  if (hasTimedOut(deployment, before, now)) {
    const message = `${subject} has timed out progressing.`;
    return withCondition(conditions, condition("Progressing", "False", TIMED_OUT, message, now));
  }
  return conditions;
}

/** Whether there are more new pods, fewer old ones, or more that are ready or available. */
function isProgressing(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const oldPods = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;
  const grew = (count: "updatedReplicas" | "readyReplicas" | "availableReplicas"): boolean =>
    (after[count] ?? 0) > (before[count] ?? 0);
  return (
    oldPods(after) < oldPods(before) || grew("updatedReplicas") || grew("readyReplicas") || grew("availableReplicas")
  );
}

function hasTimedOut(deployment: Deployment, progress: DeploymentCondition | undefined, now: number): boolean {
  if (progress === undefined || progress.reason === AVAILABLE) return false;
  return progress.reason === TIMED_OUT || deadlineOf(deployment, progress) < now;
}

function deadlineOf({ spec }: Deployment, { lastUpdateTime }: DeploymentCondition): number {
  return Date.parse(lastUpdateTime ?? "") + (spec?.progressDeadlineSeconds ?? 0) * 1000;
}

/** The milliseconds until a Deployment may have missed its progress deadline, by its written status; undefined when it cannot. */
export function deadlineIn(deployment: Deployment, now: number): number | undefined {
  const progress = conditionOf(deployment.status?.conditions, "Progressing");
  if (!hasDeadline(deployment) || progress === undefined || progress.reason === TIMED_OUT) return undefined;
  if (isComplete(deployment, deployment.status ?? {})) return undefined;
  return Math.max(0, deadlineOf(deployment, progress) - now) + 1000;
}

/** Why a set cannot create or delete pods; the new set's reason before those of others. */
function replicaFailure(generations: Generations): DeploymentCondition | undefined {
  const { newSet, old } = generations;
  for (const { status } of newSet === undefined ? old : [newSet, ...old]) {
    const failure = status?.conditions?.find(({ type }) => type === "ReplicaFailure");
    if (failure === undefined) continue;
    const { lastTransitionTime } = failure;
    return {
      ...failure,
      ...(lastTransitionTime != null &&
        ({ lastUpdateTime: lastTransitionTime } satisfies FieldsOf<DeploymentCondition>)),
    };
  }
  return undefined;
}

/** The Progressing condition when the Deployment was paused or resumed since it was written. */
export function pausedCondition(deployment: Deployment, now: number): DeploymentCondition | undefined {
  const reason = conditionOf(deployment.status?.conditions, "Progressing")?.reason;
  if (!hasDeadline(deployment) || reason === TIMED_OUT) return undefined;
  const paused = deployment.spec?.paused === true;
  if (paused === (reason === "DeploymentPaused")) return undefined;
  return paused
    ? condition("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused", now)
    : condition("Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed", now);
}

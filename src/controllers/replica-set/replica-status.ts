import { own } from "../../base/collections/own.js";
import type { ReplicaSetStatus } from "../../api/types/apps/v1.js";
import type { Pod, PodTemplateSpec } from "../../api/types/core/v1.js";
import { formatTime } from "../../machinery/meta/time.js";
import { isAvailable, isReady } from "../owned-pods/pod-state.js";

export interface ObservedReplicas {
  readonly wanted: number;
  readonly generation: number;
  readonly template: PodTemplateSpec | undefined;
  readonly minReadySeconds: number;
  readonly active: readonly Pod[];
  /** How many pods are being deleted; undefined for a kind that does not count them. */
  readonly terminating: number | undefined;
  /** Why pods could not be created or deleted. */
  readonly failure: unknown;
  /** In milliseconds. */
  readonly now: number;
}

/** The status of a ReplicaSet or ReplicationController whose status was `before`. Counts of 0 are left out, as on the wire. */
export function replicaStatus(before: Partial<ReplicaSetStatus>, observed: ObservedReplicas): ReplicaSetStatus {
  const { active, minReadySeconds, now, terminating, generation } = observed;
  const labels = Object.entries(observed.template?.metadata?.labels ?? {});
  const labelled = active.filter(({ metadata }) =>
    labels.every(([key, value]) => own(metadata?.labels, key) === value),
  );
  const ready = active.filter(isReady);
  const available = ready.filter((pod) => isAvailable(pod, minReadySeconds, now));
  const conditions = conditionsAfter(before.conditions ?? [], observed);
  return {
    replicas: active.length,
    ...positive("fullyLabeledReplicas", labelled.length),
    ...positive("readyReplicas", ready.length),
    ...positive("availableReplicas", available.length),
    ...(terminating !== undefined && { terminatingReplicas: terminating }),
    ...positive("observedGeneration", generation),
    ...(conditions.length > 0 && { conditions }),
  };
}

type Conditions = NonNullable<ReplicaSetStatus["conditions"]>;

function conditionsAfter(before: Conditions, { failure, active, wanted, now }: ObservedReplicas): Conditions {
  const others = before.filter(({ type }) => type !== "ReplicaFailure");
  if (failure === undefined) return others;
  if (others.length < before.length) return before;
  const reason = active.length < wanted ? "FailedCreate" : active.length > wanted ? "FailedDelete" : "";
  const condition = {
    type: "ReplicaFailure",
    status: "True",
    lastTransitionTime: formatTime(now),
    ...(reason !== "" && { reason }),
    message: (failure as Error).message,
  } as const;
  return [...others, condition];
}

const positive = <K extends string>(field: K, count: number): { readonly [F in K]?: number } =>
  count === 0 ? {} : ({ [field]: count } as { readonly [F in K]: number });

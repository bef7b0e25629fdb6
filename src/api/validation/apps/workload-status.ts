import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { number, object, type ReceivedObject } from "../../../machinery/meta/received.js";
import type { DaemonSetStatus, DeploymentStatus, ReplicaSetStatus, StatefulSetStatus } from "../../types/apps/v1.js";
import type { ReplicationControllerStatus } from "../../types/core/v1.js";
import { checkNonNegative, type Errors } from "../collect.js";

/** A workload of any kind, with what any of them has in its status. */
type Workload = {
  status?: DaemonSetStatus & DeploymentStatus & ReplicaSetStatus & ReplicationControllerStatus & StatefulSetStatus;
};
type Counter = Exclude<keyof NonNullable<Workload["status"]>, "conditions" | "currentRevision" | "updateRevision">;

/** The counters of a workload's status: all of them, and those that are parts of replicas. */
interface Counters {
  readonly all: readonly Counter[];
  readonly parts: readonly Counter[];
  /** How "available, but not ready" is called. */
  readonly ready?: string;
}

function statusRule({ all, parts, ready }: Counters) {
  return (workload: ReceivedObject<Workload>, old: ReceivedObject<Workload>): FieldError[] => {
    const errors: Errors = [];
    const status = object(workload.status);
    for (const field of all) checkNonNegative(status[field], `status.${field}`, errors);
    const more = (field: Counter, other: Counter, detail: string) => {
      if (number(status[field]) > number(status[other])) {
        errors.push(invalidValue(`status.${field}`, status[field] ?? 0, detail));
      }
    };
    for (const field of parts) more(field, "replicas", "cannot be greater than status.replicas");
    if (ready !== undefined) more("availableReplicas", "readyReplicas", `cannot be greater than ${ready}`);
    if (all.includes("collisionCount")) checkNotDecremented(workload, old, errors);
    return errors;
  };
}

function checkNotDecremented(workload: ReceivedObject<Workload>, old: ReceivedObject<Workload>, errors: Errors): void {
  const [now, before] = [object(workload.status).collisionCount ?? 0, object(old.status).collisionCount ?? 0];
  if (number(now) < number(before)) {
    errors.push(invalidValue("status.collisionCount", now, "cannot be decremented"));
  }
}

export const validateDeploymentStatus = statusRule({
  all: [
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
  ],
  parts: ["updatedReplicas", "readyReplicas", "availableReplicas"],
  ready: "readyReplicas",
});

export const validateReplicaSetStatus = statusRule({
  all: [
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
  ],
  parts: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
  ready: "readyReplicas",
});

export const validateReplicationControllerStatus = statusRule({
  all: ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"],
  parts: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
  ready: "readyReplicas",
});

export const validateStatefulSetStatus = statusRule({
  all: [
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
  ],
  parts: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
  ready: "status.readyReplicas",
});

export const validateDaemonSetStatus = statusRule({
  all: [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ],
  parts: [],
});

import type { Deployment, DeploymentStatus } from "../../api/types/apps/v1.js";
import { condition, withCondition } from "./conditions.js";
import { maxUnavailable, wantedReplicas } from "./fenceposts.js";
import { allOf, counted, type Generations, terminatingReplicas, totalSize } from "./replica-sets.js";

/** What the ReplicaSets make of a Deployment, without its progress. Counts of 0 are left out, as on the wire. `now` in milliseconds. */
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
    ...(terminating !== undefined && { terminatingReplicas: terminating }),
    conditions: withCondition(conditions, availability),
    ...(collisionCount !== undefined && { collisionCount }),
  };
}

const positive = (field: keyof DeploymentStatus, count: number): DeploymentStatus =>
  count === 0 ? {} : { [field]: count };

import type { KubeObject } from "../../machinery/meta/object.js";
import type { Release, RuntimeConfig } from "../facts/index.js";
import { bootstrapApiServices } from "./api-services.js";
import { bootstrapFlowControl } from "./flow-control.js";
import { bootstrapRbac } from "./rbac.js";

/**
 * The objects a fresh server makes for itself, apart from namespaces and the `kubernetes` service: roles and bindings,
 * priority classes, flow control, APIServices. Fresh objects at each call, in an order in which they can be created.
 */
export function bootstrapObjects(release: Release, runtimeConfig?: RuntimeConfig): KubeObject[] {
  return [
    ...bootstrapRbac(release),
    ...priorityClasses(),
    ...bootstrapFlowControl(),
    ...bootstrapApiServices(release, runtimeConfig),
  ];
}

function priorityClasses(): KubeObject[] {
  const critical = (name: string, value: number, description: string): KubeObject => ({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value,
    description,
    preemptionPolicy: "PreemptLowerPriority",
  });
  return [
    critical(
      "system-cluster-critical",
      2_000_000_000,
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
    critical(
      "system-node-critical",
      2_000_001_000,
      "Used for system critical pods that must not be moved from their current node.",
    ),
  ];
}

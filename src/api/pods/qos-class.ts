import { isStruct, object, objects, type Received } from "../../machinery/meta/received.js";
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
} from "../../machinery/text/quantity/quantity.js";
import type { Release } from "../facts/release.js";
import type { PodSpec, ResourceRequirements } from "../types/core/v1.js";

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

const COMPUTE = ["cpu", "memory"];

/**
 * Computes a pod's quality of service. Guaranteed: all containers limit CPU and memory and request as much. BestEffort: none has
 * requests or limits. Resources of the pod as a whole go before those of its containers. `release` is the version of Kubernetes
 * whose rules hold; default: the newest.
 */
export function qosClass(spec: Received<PodSpec>, release?: Release): QosClass {
  const parts = isOfPod(spec.resources, release)
    ? [spec.resources]
    : [...objects(spec.containers), ...objects(spec.initContainers)].map(({ resources }) => object(resources));
  const [requests, limits] = [total(parts, "requests"), total(parts, "limits")];
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const limited = parts.every((part) => COMPUTE.every((name) => amount(object(part.limits)[name]) !== undefined));
  const equal = [...requests].every(([name, request]) => {
    const limit = limits.get(name);
    return limit !== undefined && compareQuantities(limit, request) === 0;
  });
  return limited && equal && requests.size === limits.size ? "Guaranteed" : "Burstable";
}

/**
 * Whether the resources of a pod as a whole decide. Since 1.37 they must hold a request or a limit; in 1.36 the field decides by being there.
 */
function isOfPod(
  resources: Received<ResourceRequirements> | null | undefined,
  release: Release | undefined,
): resources is Received<ResourceRequirements> {
  if (!isStruct(resources)) return false;
  // K37-076.
  if (release !== undefined && !release.atLeast("1.37")) return true;
  return [resources.requests, resources.limits].some((amounts) => Object.keys(object(amounts)).length > 0);
}

function total(
  parts: readonly Received<ResourceRequirements>[],
  field: "requests" | "limits",
): ReadonlyMap<string, Quantity> {
  const sums = new Map<string, Quantity>();
  for (const part of parts) {
    for (const name of COMPUTE) {
      const asked = amount(object(part[field])[name]);
      const sum = sums.get(name);
      if (asked !== undefined) sums.set(name, sum === undefined ? asked : addQuantities(sum, asked));
    }
  }
  return sums;
}

/** undefined for none, zero and less included. */
function amount(value: unknown): Quantity | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const quantity = parseQuantity(String(value));
  return quantity.unscaled > 0n ? quantity : undefined;
}

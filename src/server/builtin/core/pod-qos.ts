import { object, objects, type ReadonlyFields } from "../../../machinery/meta/access.js";
import { compareQuantities, parseQuantity } from "../../../machinery/quantity/quantity.js";

const COMPUTE = ["cpu", "memory"];

/** Guaranteed: every container limits CPU and memory to what it requests. BestEffort: none says anything of them. */
export function qosClass(spec: ReadonlyFields): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = [...objects(spec.containers), ...objects(spec.initContainers)];
  const pairs = containers.flatMap((container) => {
    const resources = object(container.resources);
    return COMPUTE.map((name) => [amount(object(resources.requests)[name]), amount(object(resources.limits)[name])]);
  });
  if (pairs.every(([request, limit]) => request === undefined && limit === undefined)) return "BestEffort";
  const guaranteed = pairs.every(
    ([request, limit]) => limit !== undefined && (request === undefined || compareQuantities(request, limit) === 0),
  );
  return guaranteed ? "Guaranteed" : "Burstable";
}

/** undefined for none, zero included. */
function amount(value: unknown) {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const quantity = parseQuantity(String(value));
  return quantity.unscaled === 0n ? undefined : quantity;
}

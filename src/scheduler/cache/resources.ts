import { milliValue, wholeValue } from "../../machinery/text/quantity/quantity.js";
import type { ResourceList } from "../../api/types/core/v1.js";

/** Amounts of resources as numbers: CPU in thousandths, the others in their own unit (bytes, pieces). */
export interface Resources {
  milliCpu: number;
  memory: number;
  ephemeralStorage: number;
  /** How many pods; only nodes have it. */
  pods: number;
  /** Extended resources, huge pages and attachable volumes, by name; undefined while there are none. */
  scalars: Map<string, number> | undefined;
}

export function noResources(): Resources {
  return { milliCpu: 0, memory: 0, ephemeralStorage: 0, pods: 0, scalars: undefined };
}

export function copyResources(resources: Resources): Resources {
  return { ...resources, scalars: resources.scalars && new Map(resources.scalars) };
}

/** Adds the amounts that a list of an object names. */
export function addResourceList(to: Resources, list: ResourceList | undefined): void {
  for (const name in list) {
    const quantity = list[name];
    if (quantity === undefined) continue;
    if (name === "cpu") to.milliCpu += milliValue(quantity);
    else if (name === "memory") to.memory += wholeValue(quantity);
    else if (name === "ephemeral-storage") to.ephemeralStorage += wholeValue(quantity);
    else if (name === "pods") to.pods += wholeValue(quantity);
    else if (isScalarResource(name)) addScalar(to, name, wholeValue(quantity));
  }
}

/** Adds `sign` (1 or -1) times `other`. */
export function addResources(to: Resources, other: Resources, sign = 1): void {
  to.milliCpu += sign * other.milliCpu;
  to.memory += sign * other.memory;
  to.ephemeralStorage += sign * other.ephemeralStorage;
  to.pods += sign * other.pods;
  if (other.scalars !== undefined) for (const [name, value] of other.scalars) addScalar(to, name, sign * value);
}

/** Raises each amount to that of `other`. */
export function raiseResources(to: Resources, other: Resources): void {
  to.milliCpu = Math.max(to.milliCpu, other.milliCpu);
  to.memory = Math.max(to.memory, other.memory);
  to.ephemeralStorage = Math.max(to.ephemeralStorage, other.ephemeralStorage);
  if (other.scalars === undefined) return;
  to.scalars ??= new Map();
  for (const [name, value] of other.scalars) to.scalars.set(name, Math.max(to.scalars.get(name) ?? 0, value));
}

/** Returns the amount of one resource, by its name in the API. */
export function amountOf(resources: Resources, name: string): number {
  switch (name) {
    case "cpu":
      return resources.milliCpu;
    case "memory":
      return resources.memory;
    case "ephemeral-storage":
      return resources.ephemeralStorage;
    case "pods":
      return resources.pods;
    default:
      return resources.scalars?.get(name) ?? 0;
  }
}

/** Sets the amount of one resource, by its name in the API. */
export function setAmount(resources: Resources, name: string, quantity: string | number): void {
  if (name === "cpu") resources.milliCpu = milliValue(quantity);
  else if (name === "memory") resources.memory = wholeValue(quantity);
  else if (name === "ephemeral-storage") resources.ephemeralStorage = wholeValue(quantity);
  else if (isScalarResource(name)) (resources.scalars ??= new Map()).set(name, wholeValue(quantity));
}

/** Whether a resource is one of the scheduler's scalar resources: one with a domain (example.com/gpu), huge pages or attachable volumes. */
export function isScalarResource(name: string): boolean {
  return name.includes("/") || name.startsWith("hugepages-") || name.startsWith("attachable-volumes-");
}

function addScalar(to: Resources, name: string, value: number): void {
  to.scalars ??= new Map();
  to.scalars.set(name, (to.scalars.get(name) ?? 0) + value);
}

import type {
  PersistentVolumeClaim,
  Pod,
  ResourceList,
  ResourceQuota,
  ResourceQuotaStatus,
  Service,
} from "../types/core/v1.js";
import type { ResourceClaim } from "../types/resource/v1.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  zeroQuantity,
} from "../../machinery/text/quantity/quantity.js";
import { type DeviceFacts, NO_DEVICES, CLAIMED_DEVICES, isDevice } from "./extended-resources.js";
import { claimUsage, deviceClaimUsage, RESOURCE_CLAIMS, serviceUsage, STORAGE_CLASS } from "./object-usage.js";
import { podUsage, isExtended } from "./pod-usage.js";
import { isInScopes, scopesOf } from "./scopes.js";
import type { ResizeSums } from "../pods/pod-total.js";
import { addUsage, ONE, type Usage, usageOf } from "./usage.js";

/** The quota usage of one object of a resource. `now` in milliseconds; `devices` is needed for a ResourceClaim. */
export function objectUsage(
  resource: string,
  object: ApiObject,
  now: number,
  devices: DeviceFacts = NO_DEVICES,
): Usage {
  if (resource === "pods") return podUsage(object as Pod, now, devices.resizes);
  if (resource === "services") return serviceUsage(object as Service);
  if (resource === "persistentvolumeclaims") return claimUsage(object as PersistentVolumeClaim);
  if (resource === RESOURCE_CLAIMS) return deviceClaimUsage(object as ResourceClaim, devices, now);
  const usage: Usage = new Map([[`count/${resource}`, ONE]]);
  if (BY_NAME.includes(resource)) usage.set(resource, ONE);
  return usage;
}

/**
 * Computes the status of a quota over the objects of its namespace; undefined when it is up to date. Where `objectsOf` returns
 * undefined for a resource, its earlier count stays. `open` holds charges for objects whose writes have not ended.
 */
export function quotaStatus(
  quota: ResourceQuota,
  objectsOf: (resource: string) => readonly ApiObject[] | undefined,
  now: number,
  open: ReadonlyMap<string, Quantity> = new Map(),
  classes: DeviceFacts["classes"] = [],
  resizes: ResizeSums = "by-container",
): ResourceQuotaStatus | undefined {
  const hard = quota.spec?.hard ?? {};
  const before = quota.status;
  const usages = new Map<string, Usage | undefined>();
  const scopes = scopesOf(quota.spec ?? {});
  const devices: DeviceFacts = {
    resizes,
    classes,
    pods: (objectsOf("pods") ?? []) as readonly Pod[],
    claims: (objectsOf(RESOURCE_CLAIMS) ?? []) as readonly ResourceClaim[],
  };
  const sumOf = (resource: string): Usage | undefined => {
    const objects = objectsOf(resource);
    if (objects === undefined) return undefined;
    const sum: Usage = new Map();
    for (const one of objects) {
      if (isInScopes(resource, one, scopes)) addUsage(sum, objectUsage(resource, one, now, devices));
    }
    return sum;
  };
  const used: ResourceList = {};
  for (const name of Object.keys(hard)) {
    const resources = countedResources(name, classes);
    for (const resource of resources) if (!usages.has(resource)) usages.set(resource, sumOf(resource));
    const found = resources.map((resource) => usages.get(resource));
    const known = before?.used?.[name];
    if (found.length > 0 && found.every((usage) => usage !== undefined)) {
      const counted = found.map((usage) => usage.get(name) ?? zeroQuantity).reduce(addQuantities);
      used[name] = formatQuantity(atLeast(counted, known, open.get(name)));
    } else if (known !== undefined) used[name] = known;
  }
  return sameAmounts(before?.hard, hard) && sameAmounts(before?.used, used) ? undefined : { hard, used };
}

/**
 * What was counted and is open, unless the quota has less: then some of what is open is among the counted, or not charged yet. A quota that
 * has even less than was counted was not charged for all, and what is open may have to come on top.
 */
function atLeast(counted: Quantity, known: string | number | undefined, open: Quantity | undefined): Quantity {
  if (open === undefined) return counted;
  const most = addQuantities(counted, open);
  if (known === undefined) return most;
  const before = parseQuantity(String(known));
  return compareQuantities(before, counted) >= 0 && compareQuantities(before, most) < 0 ? before : most;
}

function sameAmounts(one: ResourceQuotaStatus["used"], other: ResourceQuotaStatus["used"]): boolean {
  if (one === undefined) return false;
  const [left, right] = [usageOf(one), usageOf(other)];
  return (
    left.size === right.size &&
    [...left].every(([name, amount]) => {
      const own = right.get(name);
      return own !== undefined && compareQuantities(amount, own) === 0;
    })
  );
}

/** The resources that quotas count by their bare names. */
const BY_NAME: readonly string[] = [
  "configmaps",
  "persistentvolumeclaims",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
];
const OF_PODS = /^(pods|(requests\.|limits\.)?(cpu|memory|ephemeral-storage)|(requests\.)?hugepages-.*)$/;

/**
 * The resources whose objects count for the quota amount `name`: "pods", "deployments.apps". An extended resource is used by pods,
 * and by ResourceClaims if it stands for a device of one of `classes`.
 */
export function countedResources(name: string, classes: DeviceFacts["classes"] = []): readonly string[] {
  if (isExtendedRequest(name)) return isDevice(name, classes) ? ["pods", RESOURCE_CLAIMS] : ["pods"];
  const resource = countedResource(name);
  return resource === undefined ? [] : [resource];
}

/** Whether a quota amount `name` stands for an extended resource: "requests.example.com/gpu". */
export const isExtendedRequest = (name: string): boolean =>
  name.startsWith("requests.") && isExtended(name.slice("requests.".length));

function countedResource(name: string): string | undefined {
  if (name.startsWith("count/")) return name.slice("count/".length);
  if (OF_PODS.test(name)) return "pods";
  if (name === "services.loadbalancers" || name === "services.nodeports") return "services";
  if (name === "requests.storage" || name.includes(STORAGE_CLASS)) return "persistentvolumeclaims";
  if (name.endsWith(CLAIMED_DEVICES)) return RESOURCE_CLAIMS;
  return BY_NAME.includes(name) ? name : undefined;
}

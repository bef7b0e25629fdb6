import type { DeviceClass } from "../types/resource/v1.js";
import { CLAIMED_DEVICES, isDevice } from "./extended-resources.js";
import { RESOURCE_CLAIMS, STORAGE_CLASS } from "./object-usage.js";
import { isExtended } from "./pod-usage.js";

/** The resources that quotas count by their bare names. */
export const BY_NAME: readonly string[] = [
  "configmaps",
  "persistentvolumeclaims",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
];
const OF_PODS = /^(pods|(requests\.|limits\.)?(cpu|memory|ephemeral-storage)|(requests\.)?hugepages-.*)$/;

/**
 * The resources whose objects use what a quota calls `name`: "pods", "deployments.apps". An extended resource is used by pods, and by
 * claims where it is a device of one of `classes`.
 */
export function countedResources(name: string, classes: readonly DeviceClass[] = []): readonly string[] {
  if (isExtendedRequest(name)) return isDevice(name, classes) ? ["pods", RESOURCE_CLAIMS] : ["pods"];
  const resource = countedResource(name);
  return resource === undefined ? [] : [resource];
}

/** Whether a quota counts an extended resource by `name`: "requests.example.com/gpu". */
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

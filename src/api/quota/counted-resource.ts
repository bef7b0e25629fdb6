import { CLAIMED_DEVICES, RESOURCE_CLAIMS, STORAGE_CLASS } from "./object-usage.js";
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

/** The resource whose objects use what a quota calls `name`: "pods", "deployments.apps"; undefined where none does. */
export function countedResource(name: string): string | undefined {
  if (name.startsWith("count/")) return name.slice("count/".length);
  if (OF_PODS.test(name)) return "pods";
  if (name === "services.loadbalancers" || name === "services.nodeports") return "services";
  if (name === "requests.storage" || name.includes(STORAGE_CLASS)) return "persistentvolumeclaims";
  if (name.endsWith(CLAIMED_DEVICES)) return RESOURCE_CLAIMS;
  if (BY_NAME.includes(name)) return name;
  return name.startsWith("requests.") && isExtended(name.slice("requests.".length)) ? "pods" : undefined;
}

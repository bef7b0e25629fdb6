import type { PersistentVolumeClaim, Service } from "../types/core/v1.js";
import type { ResourceClaim } from "../types/resource/v1.js";
import { parseQuantity, type Quantity, quantityValue } from "../../machinery/text/quantity/quantity.js";
import { CLAIMED_DEVICES, type DeviceFacts, extendedUsage } from "./extended-resources.js";
import { addUsage, ONE, raiseUsage, type Usage, usageOf } from "./usage.js";

export const STORAGE_CLASS = ".storageclass.storage.k8s.io/";
/** The resource of the claims of devices, as quotas name it. */
export const RESOURCE_CLAIMS = "resourceclaims.resource.k8s.io";
/** An allocation has no more devices than this: what a request for all devices counts as. */
const MOST_DEVICES = 32;
const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

const amount = (count: number): Quantity => parseQuantity(String(count));

export function serviceUsage({ spec }: Service): Usage {
  const ports = spec?.ports ?? [];
  const balanced = spec?.type === "LoadBalancer";
  const explicit = balanced && spec?.allocateLoadBalancerNodePorts === false;
  const opened = explicit ? ports.filter(({ nodePort = 0 }) => nodePort !== 0) : ports;
  return new Map([
    ["count/services", ONE],
    ["services", ONE],
    ["services.loadbalancers", amount(balanced ? 1 : 0)],
    ["services.nodeports", amount(balanced || spec?.type === "NodePort" ? opened.length : 0)],
  ]);
}

/**
 * The quota usage of a PersistentVolumeClaim, also by its storage class. A claim that grows counts with its allocated size where
 * that is larger.
 */
export function claimUsage({ metadata, spec, status }: PersistentVolumeClaim): Usage {
  const usage: Usage = new Map([
    ["count/persistentvolumeclaims", ONE],
    ["persistentvolumeclaims", ONE],
  ]);
  const storageClass = metadata?.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? "";
  if (storageClass !== "") usage.set(`${storageClass}${STORAGE_CLASS}persistentvolumeclaims`, ONE);
  const storage = usageOf(spec?.resources?.requests);
  if (storage.has("storage")) raiseUsage(storage, usageOf(status?.allocatedResources));
  const exact = storage.get("storage");
  if (exact === undefined) return usage;
  // Quotas count whole bytes.
  const asked = exact.scale >= 0 ? exact : { ...exact, unscaled: quantityValue(exact), scale: 0, text: undefined };
  usage.set("requests.storage", asked);
  if (storageClass !== "") usage.set(`${storageClass}${STORAGE_CLASS}requests.storage`, asked);
  return usage;
}

/**
 * The quota usage of a ResourceClaim, by device class and as extended resources; one without a spec uses no devices. Of a
 * request's alternatives the largest of each class counts. `now` in milliseconds.
 */
export function deviceClaimUsage(claim: ResourceClaim, facts: DeviceFacts, now: number): Usage {
  const { spec } = claim;
  const usage: Usage = new Map([[`count/${RESOURCE_CLAIMS}`, ONE]]);
  for (const { exactly, firstAvailable } of spec?.devices?.requests ?? []) {
    const largest: Usage = new Map();
    const alternatives = exactly == null ? (firstAvailable ?? []) : [exactly];
    for (const { deviceClassName, allocationMode, count = 1 } of alternatives) {
      const devices = allocationMode === "All" ? MOST_DEVICES : Number(count);
      raiseUsage(largest, new Map([[`${deviceClassName}${CLAIMED_DEVICES}`, amount(devices)]]));
    }
    addUsage(usage, largest);
  }
  addUsage(usage, extendedUsage(claim, usage, facts, now));
  return usage;
}

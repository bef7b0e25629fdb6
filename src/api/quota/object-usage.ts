import type { PersistentVolumeClaim, Service } from "../types/core/v1.js";
import { parseQuantity, type Quantity } from "../../machinery/quantity/quantity.js";
import { ONE, raiseUsage, type Usage, usageOf } from "./usage.js";

export const STORAGE_CLASS = ".storageclass.storage.k8s.io/";
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

/** A claim counts for its storage class too. A volume that is to grow counts by what it is allocated, where that is more. */
export function claimUsage({ metadata, spec, status }: PersistentVolumeClaim): Usage {
  const usage: Usage = new Map([
    ["count/persistentvolumeclaims", ONE],
    ["persistentvolumeclaims", ONE],
  ]);
  const storageClass = metadata?.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? "";
  if (storageClass !== "") usage.set(`${storageClass}${STORAGE_CLASS}persistentvolumeclaims`, ONE);
  const storage = usageOf(spec?.resources?.requests);
  if (storage.has("storage")) raiseUsage(storage, usageOf(status?.allocatedResources));
  const asked = storage.get("storage");
  if (asked === undefined) return usage;
  usage.set("requests.storage", asked);
  if (storageClass !== "") usage.set(`${storageClass}${STORAGE_CLASS}requests.storage`, asked);
  return usage;
}

import { setKey } from "../../machinery/wire/json/own-keys.js";
import {
  absent,
  child,
  children,
  ensureChild,
  type Fields,
  isFields,
  setDefault,
  text,
} from "../../machinery/meta/access.js";
import { roundAmounts } from "./amounts.js";
import { alignPodCidrs } from "./old-names.js";
import { defaultPersistentSource } from "./volumes.js";

export function defaultEndpoints(endpoints: Fields): void {
  for (const subset of children(endpoints, "subsets")) {
    for (const port of children(subset, "ports")) setDefault(port, "protocol", "TCP");
  }
}

export function defaultNamespace(namespace: Fields): void {
  const metadata = ensureChild(namespace, "metadata");
  const name = text(metadata.name);
  if (name !== "") ensureChild(metadata, "labels")["kubernetes.io/metadata.name"] = name;
  setDefault(ensureChild(namespace, "status"), "phase", "Active");
}

export function defaultSecret(secret: Fields): void {
  encodeStringData(secret);
  if (text(secret.type) === "") secret.type = "Opaque";
}

/** `stringData` can be written and never read: it overrides `data`, key by key. */
function encodeStringData(secret: Fields): void {
  if (isFields(secret.stringData) && Object.keys(secret.stringData).length > 0) {
    const data = ensureChild(secret, "data");
    for (const [key, value] of Object.entries(secret.stringData)) {
      setKey(data, key, Buffer.from(text(value)).toString("base64"));
    }
  }
  delete secret.stringData;
}

export function defaultPersistentVolume(volume: Fields): void {
  const spec = ensureChild(volume, "spec");
  setDefault(spec, "persistentVolumeReclaimPolicy", "Retain");
  setDefault(spec, "volumeMode", "Filesystem");
  roundAmounts(child(spec, "capacity"));
  defaultPersistentSource(spec);
  setDefault(ensureChild(volume, "status"), "phase", "Pending");
}

/** Sets the defaults of a container's limits: the default limit is the maximum; the default request is that limit, else the minimum. */
export function defaultLimitRange(limitRange: Fields): void {
  for (const item of children(child(limitRange, "spec") ?? {}, "limits")) {
    for (const field of LIMITS) roundAmounts(child(item, field));
    if (item.type !== "Container") continue;
    fillFrom(item, "default", "max");
    fillFrom(item, "defaultRequest", "default");
    fillFrom(item, "defaultRequest", "min");
  }
}

const LIMITS = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];

function fillFrom(item: Fields, target: string, source: string): void {
  const amounts = child(item, source);
  if (amounts === undefined) return;
  const filled = ensureChild(item, target);
  for (const [resource, amount] of Object.entries(amounts)) setDefault(filled, resource, amount);
}

/** Sets allocatable to capacity where a node does not state it. */
export function defaultNode(node: Fields): void {
  alignPodCidrs(node);
  const status = child(node, "status");
  const capacity = status && child(status, "capacity");
  roundAmounts(capacity);
  roundAmounts(status && child(status, "allocatable"));
  if (status === undefined || capacity === undefined || !absent(status.allocatable)) return;
  status.allocatable = { ...capacity };
}

export function defaultResourceQuota(quota: Fields): void {
  roundAmounts(child(child(quota, "spec") ?? {}, "hard"));
  const status = child(quota, "status") ?? {};
  roundAmounts(child(status, "hard"));
  roundAmounts(child(status, "used"));
}

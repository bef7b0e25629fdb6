import { list, object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";

const MODES = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

/** "RWO,ROX". */
export function accessModesCell(modes: unknown): string {
  const set = new Set(list(modes));
  return MODES.filter(([mode]) => set.has(mode))
    .map(([, short]) => short)
    .join(",");
}

/** The phase of a volume or claim; "Terminating" once it is deleted. */
export function phaseCell(object_: KubeObject): string {
  return object_.metadata?.deletionTimestamp === undefined ? text(object(object_.status).phase) : "Terminating";
}

/** The storage class, which old objects name in an annotation. */
export function storageClassCell(object_: KubeObject): string {
  const annotation = object_.metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"];
  return annotation ?? text(object(object_.spec).storageClassName);
}

export function orUnset(value: unknown): string {
  return value === undefined ? "<unset>" : text(value);
}

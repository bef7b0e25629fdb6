import type { PersistentVolume, PersistentVolumeClaim } from "../../../api/types/core/v1.js";
import { list, object, type ReceivedObject, text } from "../../../machinery/meta/received.js";

const MODES = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

/** "RWO,ROX". */
export function accessModesCell(modes: readonly (string | null)[] | null | undefined): string {
  const set = new Set(list(modes));
  return MODES.filter(([mode]) => set.has(mode))
    .map(([, short]) => short)
    .join(",");
}

/** The phase of a volume or claim; "Terminating" once it is deleted. */
export function phaseCell(object_: ReceivedObject<PersistentVolume | PersistentVolumeClaim>): string {
  return object_.metadata?.deletionTimestamp === undefined ? text(object(object_.status).phase) : "Terminating";
}

/** The storage class, which old objects name in an annotation. */
export function storageClassCell(object_: ReceivedObject<PersistentVolume | PersistentVolumeClaim>): string {
  const annotation = object_.metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"];
  return annotation ?? text(object(object_.spec).storageClassName);
}

export function orUnset(value: string | null | undefined): string {
  return value === undefined ? "<unset>" : text(value);
}

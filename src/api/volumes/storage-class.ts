import { newestDefault } from "../../machinery/meta/newest-default.js";
import type { PersistentVolume, PersistentVolumeClaim } from "../types/core/v1.js";
import type { StorageClass } from "../types/storage/v1.js";
import { DEFAULT_CLASS, SELECTED_NODE } from "./annotations.js";

/** Where classes were named before 1.6; it goes before the field. */
const OLD_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
const OLD_DEFAULT = "storageclass.beta.kubernetes.io/is-default-class";

/** The name of the StorageClass of a claim or a volume; "" for none. */
export function storageClassOf({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string {
  return metadata?.annotations?.[OLD_ANNOTATION] ?? spec?.storageClassName ?? "";
}

/** Whether a claim says which class it wants; "" is such a word. */
export function namesStorageClass({ metadata, spec }: PersistentVolumeClaim): boolean {
  return metadata?.annotations?.[OLD_ANNOTATION] !== undefined || spec?.storageClassName !== undefined;
}

/** The class that claims without one get: of several the newest, of equally old ones the first by name. */
export const defaultStorageClass = <C extends Pick<StorageClass, "metadata">>(classes: readonly C[]): C | undefined =>
  newestDefault(classes, [DEFAULT_CLASS, OLD_DEFAULT]);

/** Whether a claim waits until a pod uses it, so that its volume is where the pod can run. */
export function delaysBinding(classOfClaim: StorageClass | undefined): boolean {
  return classOfClaim?.volumeBindingMode === "WaitForFirstConsumer";
}

/** The node that the scheduler chose for the first pod of a claim; undefined while it chose none. */
export function selectedNode({ metadata }: PersistentVolumeClaim): string | undefined {
  return metadata?.annotations?.[SELECTED_NODE];
}

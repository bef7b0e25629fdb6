import type { Pod, PersistentVolume, PersistentVolumeClaim } from "../types/core/v1.js";
import { newestDefault } from "../../machinery/meta/newest-default.js";
import type { StorageClass } from "../types/storage/v1.js";

/** The claims that a pod mounts; an ephemeral volume's claim is named for pod and volume. */
export function claimsOfPod({ metadata, spec }: Pod): { readonly namespace: string; readonly name: string }[] {
  const namespace = metadata?.namespace ?? "";
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim != null) return [{ namespace, name: persistentVolumeClaim.claimName }];
    return ephemeral == null ? [] : [{ namespace, name: `${metadata?.name}-${name}` }];
  });
}

export function isPodOver({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** The annotation of a claim that was bound once, and that loses its data when its volume is deleted. */
export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
/** The annotation of a claim or a volume whose partner the binder chose, not the user. */
export const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
/** The annotation of a volume that names the provisioner which created it. */
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
/** The annotation of a claim that names the node which the scheduler chose for the first pod that uses it. */
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
/** The annotations of a claim that name the provisioner of its volume; the second is the name before 1.23. */
export const STORAGE_PROVISIONER = [
  "volume.kubernetes.io/storage-provisioner",
  "volume.beta.kubernetes.io/storage-provisioner",
] as const;
/** The annotation of the StorageClass for claims that name no class. */
export const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

/** Where classes were named before 1.6; it goes before the field. */
const OLD_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
const OLD_DEFAULT = "storageclass.beta.kubernetes.io/is-default-class";

/** The name of the StorageClass of a claim or a volume; "" for none. */
export function storageClassOf({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string {
  return metadata?.annotations?.[OLD_ANNOTATION] ?? spec?.storageClassName ?? "";
}

/** Whether a claim names a class, which "" does too. */
export function namesStorageClass({ metadata, spec }: PersistentVolumeClaim): boolean {
  return metadata?.annotations?.[OLD_ANNOTATION] !== undefined || spec?.storageClassName !== undefined;
}

/** Finds the class for claims without one: of several defaults the newest, of equally old ones the first by name. */
export const defaultStorageClass = <C extends Pick<StorageClass, "metadata">>(classes: readonly C[]): C | undefined =>
  newestDefault(classes, [DEFAULT_CLASS, OLD_DEFAULT]);

/** Whether a claim waits until a pod uses it, so that its volume is where the pod can run. */
export function delaysBinding(classOfClaim: StorageClass | undefined): boolean {
  return classOfClaim?.volumeBindingMode === "WaitForFirstConsumer";
}

/** The node that the scheduler chose for the first pod of a claim; undefined before. */
export function selectedNode({ metadata }: PersistentVolumeClaim): string | undefined {
  return metadata?.annotations?.[SELECTED_NODE];
}

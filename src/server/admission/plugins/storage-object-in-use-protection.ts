import type { AdmissionPlugin } from "../plugin.js";
import type { KubeObject } from "../../../machinery/meta/object.js";

/** By group and resource. The controllers that protect these objects remove the finalizers. */
const FINALIZERS: Readonly<Record<string, string>> = {
  __proto__: null as never,
  "/persistentvolumeclaims": "kubernetes.io/pvc-protection",
  "/persistentvolumes": "kubernetes.io/pv-protection",
  "storage.k8s.io/volumeattributesclasses": "kubernetes.io/vac-protection",
};

/** Keeps new claims, volumes and VolumeAttributesClasses from being removed while something uses them. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  handles: (operation, { group, resource, subresource }) =>
    operation === "CREATE" && subresource === "" && finalizerOf(group, resource) !== undefined,
  admit({ object: draft, resource: { group, resource } }) {
    const finalizer = finalizerOf(group, resource);
    if (draft !== undefined && finalizer !== undefined) addFinalizer(draft, finalizer);
  },
};

const finalizerOf = (group: string, resource: string): string | undefined => FINALIZERS[`${group}/${resource}`];

/** Adds a finalizer behind those that the object has, once. */
export function addFinalizer(draft: KubeObject, finalizer: string): void {
  const { finalizers = [] } = draft.metadata ?? {};
  if (finalizers.includes(finalizer)) return;
  draft.metadata = { ...draft.metadata, finalizers: [...finalizers, finalizer] };
}

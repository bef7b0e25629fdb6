import { dictionary } from "../../../base/collections/dictionary.js";
import type { AdmissionPlugin } from "../plugin.js";
import type { KubeObject } from "../../../machinery/meta/object.js";

/** By group and resource. The controllers that protect these objects remove the finalizers. */
const FINALIZERS: Readonly<Record<string, string>> = dictionary({
  "/persistentvolumeclaims": "kubernetes.io/pvc-protection",
  "/persistentvolumes": "kubernetes.io/pv-protection",
  "storage.k8s.io/volumeattributesclasses": "kubernetes.io/vac-protection",
});

/** Adds finalizers to new claims, volumes and VolumeAttributesClasses, so that they are not deleted while they are in use. */
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

/** Appends a finalizer to those of the object, unless it has it already. */
export function addFinalizer(draft: KubeObject, finalizer: string): void {
  const { finalizers = [] } = draft.metadata ?? {};
  if (finalizers.includes(finalizer)) return;
  draft.metadata = { ...draft.metadata, finalizers: [...finalizers, finalizer] };
}

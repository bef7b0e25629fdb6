import type { StorageClass } from "../../api/types/storage/v1.js";
import { DEFAULT_CLASS } from "../../api/volumes/annotations.js";

/** Makes volumes that are objects and nothing else. */
export const PROVISIONER = "kubets.dev/fake";

/** The class of claims that name none, as a kind cluster has it; its volumes can grow. */
export function defaultClass(): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "standard", annotations: { [DEFAULT_CLASS]: "true" } },
    provisioner: PROVISIONER,
    reclaimPolicy: "Delete",
    allowVolumeExpansion: true,
    volumeBindingMode: "WaitForFirstConsumer",
  };
}

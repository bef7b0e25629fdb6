// Made by tools/generate-api-types.mjs of the API facts.
import type { ListMeta, ObjectMeta } from "../meta/v1.js";

/**
 * VolumeAttributesClass of storage.k8s.io/v1beta1, since Kubernetes 1.31. Cluster-scoped; resource `volumeattributesclasses`.
 * @deprecated since Kubernetes 1.34, removed in 1.37: use storage.k8s.io/v1 VolumeAttributesClass.
 */
export interface VolumeAttributesClass {
  kind?: "VolumeAttributesClass";
  apiVersion?: "storage.k8s.io/v1beta1";
  metadata?: ObjectMeta;
  driverName: string;
  parameters?: Record<string, string>;
}

export interface VolumeAttributesClassList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: VolumeAttributesClass[];
}

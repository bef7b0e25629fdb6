// Made by tools/generate-api-types.mjs of the API facts.
import type {
  PersistentVolumeAccessMode,
  PersistentVolumeMode,
  PersistentVolumeReclaimPolicy,
  PersistentVolumeSpec,
  TopologySelectorTerm,
} from "../core/v1.js";
import type { Int64, LabelSelector, ListMeta, ObjectMeta, Quantity, Time } from "../meta/v1.js";

export type FSGroupPolicy = "File" | "None" | "ReadWriteOnceWithFSType";

export type StorageHealthStatusType = "StorageDegraded" | "StorageUnreachable";

export type VolumeBindingMode = "Immediate" | "WaitForFirstConsumer";

export type VolumeLifecycleMode = "Ephemeral" | "Persistent";

/** CSIDriver of storage.k8s.io/v1, since Kubernetes 1.18. Cluster-scoped; resource `csidrivers`. */
export interface CSIDriver {
  kind?: "CSIDriver";
  apiVersion?: "storage.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: CSIDriverSpec;
}

export interface CSIDriverList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: CSIDriver[];
}

export interface CSIDriverSpec {
  attachRequired?: boolean;
  podInfoOnMount?: boolean;
  volumeLifecycleModes?: VolumeLifecycleMode[];
  storageCapacity?: boolean;
  fsGroupPolicy?: FSGroupPolicy;
  tokenRequests?: TokenRequest[];
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  nodeAllocatableUpdatePeriodSeconds?: Int64;
  serviceAccountTokenInSecrets?: boolean;
  preventPodSchedulingIfMissing?: boolean;
}

/** CSINode of storage.k8s.io/v1, since Kubernetes 1.17. Cluster-scoped; resource `csinodes`. */
export interface CSINode {
  kind?: "CSINode";
  apiVersion?: "storage.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: CSINodeSpec;
  status?: CSINodeStatus;
}

export interface CSINodeDriver {
  name: string;
  nodeID: string;
  topologyKeys?: string[] | null;
  allocatable?: VolumeNodeResources;
}

export interface CSINodeList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: CSINode[];
}

export interface CSINodeSpec {
  drivers: CSINodeDriver[] | null;
}

export interface CSINodeStatus {
  storageHealth?: StorageHealth[];
}

/** CSIStorageCapacity of storage.k8s.io/v1, since Kubernetes 1.24. Namespaced; resource `csistoragecapacities`. */
export interface CSIStorageCapacity {
  kind?: "CSIStorageCapacity";
  apiVersion?: "storage.k8s.io/v1";
  metadata?: ObjectMeta;
  nodeTopology?: LabelSelector;
  storageClassName: string;
  capacity?: Quantity;
  maximumVolumeSize?: Quantity;
}

export interface CSIStorageCapacityList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: CSIStorageCapacity[];
}

/** StorageClass of storage.k8s.io/v1, since Kubernetes 1.6. Cluster-scoped; resource `storageclasses`. */
export interface StorageClass {
  kind?: "StorageClass";
  apiVersion?: "storage.k8s.io/v1";
  metadata?: ObjectMeta;
  provisioner: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: PersistentVolumeReclaimPolicy;
  mountOptions?: string[];
  allowVolumeExpansion?: boolean;
  volumeBindingMode?: VolumeBindingMode;
  allowedTopologies?: TopologySelectorTerm[];
}

export interface StorageClassList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: StorageClass[];
}

export interface StorageHealth {
  name: string;
  healthConditions?: StorageHealthCondition[];
}

export interface StorageHealthCondition {
  status: StorageHealthStatusType;
  reason: string;
  message?: string;
  accessMode?: PersistentVolumeAccessMode;
  volumeMode?: PersistentVolumeMode;
  lastTransitionTime?: Time | null;
}

export interface TokenRequest {
  audience: string;
  expirationSeconds?: Int64;
}

/** VolumeAttachment of storage.k8s.io/v1, since Kubernetes 1.13. Cluster-scoped; resource `volumeattachments`. */
export interface VolumeAttachment {
  kind?: "VolumeAttachment";
  apiVersion?: "storage.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: VolumeAttachmentSpec;
  status?: VolumeAttachmentStatus;
}

export interface VolumeAttachmentList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: VolumeAttachment[];
}

export interface VolumeAttachmentSource {
  persistentVolumeName?: string;
  inlineVolumeSpec?: PersistentVolumeSpec;
}

export interface VolumeAttachmentSpec {
  attacher: string;
  source: VolumeAttachmentSource;
  nodeName: string;
}

export interface VolumeAttachmentStatus {
  attached: boolean;
  attachmentMetadata?: Record<string, string>;
  attachError?: VolumeError;
  detachError?: VolumeError;
}

/** VolumeAttributesClass of storage.k8s.io/v1, since Kubernetes 1.34. Cluster-scoped; resource `volumeattributesclasses`. */
export interface VolumeAttributesClass {
  kind?: "VolumeAttributesClass";
  apiVersion?: "storage.k8s.io/v1";
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

export interface VolumeError {
  time?: Time | null;
  message?: string;
  errorCode?: number;
}

export interface VolumeNodeResources {
  count?: number;
}

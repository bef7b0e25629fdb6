// Made by tools/generate-api-types.mjs of the API facts.
import type { Int64, ListMeta, ObjectMeta, Time } from "../meta/v1.js";

export type ConditionStatus = "False" | "True" | "Unknown";

export interface ServerStorageVersion {
  apiServerID: string;
  encodingVersion: string;
  decodableVersions: string[];
  servedVersions?: string[];
}

/** StorageVersion of internal.apiserver.k8s.io/v1alpha1. Cluster-scoped; resource `storageversions`. */
export interface StorageVersion {
  kind?: "StorageVersion";
  apiVersion?: "internal.apiserver.k8s.io/v1alpha1";
  metadata: ObjectMeta;
  spec?: StorageVersionSpec;
  status?: StorageVersionStatus;
}

export interface StorageVersionCondition {
  type: string;
  status: ConditionStatus;
  observedGeneration?: Int64;
  lastTransitionTime?: Time | null;
  reason: string;
  message: string;
}

export interface StorageVersionList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: StorageVersion[];
}

export type StorageVersionSpec = Record<string, never>;

export interface StorageVersionStatus {
  storageVersions?: ServerStorageVersion[];
  commonEncodingVersion?: string;
  conditions?: StorageVersionCondition[];
}

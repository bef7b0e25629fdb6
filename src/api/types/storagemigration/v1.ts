// Made by tools/generate-api-types.mjs of the API facts.
import type { Condition, GroupResource, ListMeta, ObjectMeta } from "../meta/v1.js";

/** StorageVersionMigration of storagemigration.k8s.io/v1, since Kubernetes 1.37. Cluster-scoped; resource `storageversionmigrations`. */
export interface StorageVersionMigration {
  kind?: "StorageVersionMigration";
  apiVersion?: "storagemigration.k8s.io/v1";
  metadata?: ObjectMeta;
  spec?: StorageVersionMigrationSpec;
  status?: StorageVersionMigrationStatus;
}

export interface StorageVersionMigrationList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: StorageVersionMigration[];
}

export interface StorageVersionMigrationSpec {
  resource: GroupResource;
}

export interface StorageVersionMigrationStatus {
  conditions?: Condition[];
  resourceVersion?: string;
}

import type { JsonObject } from "./json.js";

/** metadata as it is on the wire; see ObjectMeta in apimachinery's meta/v1. Times are RFC 3339 in UTC, whole seconds. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  /** @deprecated since Kubernetes 1.16: servers no longer set it. */
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/**
 * The fields of an object that one manager owns; server-side apply and the server's field tracking write it. A type, not an
 * interface, because only a type is also a {@link JsonObject}.
 */
export type ManagedFieldsEntry = {
  manager?: string;
  operation?: "Apply" | "Update";
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonObject;
  subresource?: string;
};

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ListMeta {
  /** @deprecated since Kubernetes 1.16: servers no longer set it. */
  selfLink?: string;
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
  shardInfo?: ShardInfo;
}

/** The part of a collection that a sharded list contains. */
export interface ShardInfo {
  selector: string;
}

/** The fields that every API object has. The declarations of `kubets/api` and users' own kinds extend it. */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** Any API object as plain data. What was read from a store or cache is shared: never change it in place. */
export interface KubeObject extends ApiObject {
  // Everything else a kind holds; narrow it where it is used.
  [field: string]: unknown;
}

export interface KubeList<T extends ApiObject = KubeObject> {
  apiVersion: string;
  kind: string;
  metadata: ListMeta;
  items: T[];
}

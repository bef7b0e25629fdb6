import type { JsonObject } from "./json.js";

/** metadata as it is on the wire; see ObjectMeta in apimachinery's meta/v1. Times are RFC 3339 in UTC, whole seconds. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
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
  managedFields?: JsonObject[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

/** What every API object has. The declarations of `kubets/api` and users' own kinds extend it. */
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

import type { ApiObject, ObjectMeta } from "../../machinery/meta/object.js";

/**
 * An object as a server returns it: with apiVersion, kind and metadata, and in that the name and the fields that only a server
 * sets. An object that no server stores, such as a review or an eviction, has only apiVersion and kind; metrics have a name and no
 * uid.
 */
export type Stored<T extends ApiObject> = T & {
  apiVersion: string;
  kind: string;
} & (T extends { kind?: NeverStored } ? unknown : { metadata: T extends { kind?: Computed } ? NamedMeta : StoredMeta });

/** Metadata that a server has completed. */
export interface StoredMeta extends NamedMeta {
  uid: string;
  resourceVersion: string;
}

/** The metadata of an object that a server computes at each request. */
export interface NamedMeta extends ObjectMeta {
  name: string;
}

/** Kinds that are created to be answered. */
type NeverStored =
  | "DeleteOptions"
  | "Eviction"
  | "Binding"
  | "LocalSubjectAccessReview"
  | "SelfSubjectAccessReview"
  | "SelfSubjectReview"
  | "SelfSubjectRulesReview"
  | "SubjectAccessReview"
  | "TokenRequest"
  | "TokenReview";

/** Kinds whose objects are computed when they are read. */
type Computed = "ComponentStatus" | "NodeMetrics" | "PodMetrics";

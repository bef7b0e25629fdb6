// Made by tools/generate-api-types.mjs of the API facts.
import type { Condition, Int64, ListMeta, ObjectMeta, Time } from "../meta/v1.js";

export type EvictionRequestIntent = "Eviction" | "Withdrawn";

export type RequesterIntent = "Eviction" | "Withdrawn";

export type ResponderStateType = "Active" | "Canceled" | "Completed" | "Inactive" | "Interrupted";

/** Eviction of lifecycle.k8s.io/v1alpha1, since Kubernetes 1.37. Namespaced; resource `evictions`. */
export interface Eviction {
  kind?: "Eviction";
  apiVersion?: "lifecycle.k8s.io/v1alpha1";
  metadata?: ObjectMeta;
  spec: EvictionSpec;
  status?: EvictionStatus;
}

export interface EvictionList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Eviction[];
}

export interface EvictionPodReference {
  name: string;
  uid: string;
}

/** EvictionRequest of lifecycle.k8s.io/v1alpha1, since Kubernetes 1.37. Namespaced; resource `evictionrequests`. */
export interface EvictionRequest {
  kind?: "EvictionRequest";
  apiVersion?: "lifecycle.k8s.io/v1alpha1";
  metadata?: ObjectMeta;
  spec: EvictionRequestSpec;
  status?: EvictionRequestStatus;
}

export interface EvictionRequestList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: EvictionRequest[];
}

export interface EvictionRequestPodReference {
  name: string;
  uid: string;
}

export interface EvictionRequestSpec {
  target: EvictionRequestTarget;
  requester: string;
  intent: EvictionRequestIntent;
}

export interface EvictionRequestStatus {
  conditions?: Condition[];
  observedGeneration?: Int64;
}

export interface EvictionRequestTarget {
  pod?: EvictionRequestPodReference;
}

export interface EvictionSpec {
  target: EvictionTarget;
}

export interface EvictionStatus {
  conditions?: Condition[];
  observedGeneration?: Int64;
  requesters?: Requester[];
  targetResponders?: TargetResponder[];
  responders?: ResponderStatus[];
}

export interface EvictionTarget {
  pod?: EvictionPodReference;
}

export interface Requester {
  name: string;
  intent: RequesterIntent;
}

export interface ResponderStatus {
  name: string;
  startTime?: Time;
  heartbeatTime?: Time;
  expectedCompletionTime?: Time;
  completionTime?: Time;
  message?: string;
}

export interface TargetResponder {
  name: string;
  priority: number;
  state: ResponderStateType;
}

// Made by tools/generate-api-types.mjs of the API facts.
import type { PreemptionPolicy } from "../core/v1.js";
import type { ListMeta, ObjectMeta } from "../meta/v1.js";

/** PriorityClass of scheduling.k8s.io/v1, since Kubernetes 1.14. Cluster-scoped; resource `priorityclasses`. */
export interface PriorityClass {
  kind?: "PriorityClass";
  apiVersion?: "scheduling.k8s.io/v1";
  metadata?: ObjectMeta;
  value?: number;
  globalDefault?: boolean;
  description?: string;
  preemptionPolicy?: PreemptionPolicy;
}

export interface PriorityClassList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: PriorityClass[];
}

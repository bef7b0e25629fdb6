// Made by tools/generate-api-types.mjs of the API facts.
import type { ResourceList, Toleration } from "../core/v1.js";
import type { ListMeta, ObjectMeta } from "../meta/v1.js";

export interface Overhead {
  podFixed?: ResourceList;
}

/** RuntimeClass of node.k8s.io/v1, since Kubernetes 1.20. Cluster-scoped; resource `runtimeclasses`. */
export interface RuntimeClass {
  kind?: "RuntimeClass";
  apiVersion?: "node.k8s.io/v1";
  metadata?: ObjectMeta;
  handler: string;
  overhead?: Overhead;
  scheduling?: Scheduling;
}

export interface RuntimeClassList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: RuntimeClass[];
}

export interface Scheduling {
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
}

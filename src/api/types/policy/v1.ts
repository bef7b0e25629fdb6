// Made by tools/generate-api-types.mjs of the API facts.
import type {
  Condition,
  DeleteOptions,
  Int64,
  IntOrString,
  LabelSelector,
  ListMeta,
  ObjectMeta,
  Time,
} from "../meta/v1.js";

export type UnhealthyPodEvictionPolicyType = "AlwaysAllow" | "IfHealthyBudget";

export interface Eviction {
  kind?: "Eviction";
  apiVersion?: "policy/v1";
  metadata?: ObjectMeta;
  deleteOptions?: DeleteOptions;
}

/** PodDisruptionBudget of policy/v1, since Kubernetes 1.21. Namespaced; resource `poddisruptionbudgets`. */
export interface PodDisruptionBudget {
  kind?: "PodDisruptionBudget";
  apiVersion?: "policy/v1";
  metadata?: ObjectMeta;
  spec?: PodDisruptionBudgetSpec;
  status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: PodDisruptionBudget[];
}

export interface PodDisruptionBudgetSpec {
  minAvailable?: IntOrString;
  selector?: LabelSelector;
  maxUnavailable?: IntOrString;
  unhealthyPodEvictionPolicy?: UnhealthyPodEvictionPolicyType;
}

export interface PodDisruptionBudgetStatus {
  observedGeneration?: Int64;
  disruptedPods?: Record<string, Time>;
  disruptionsAllowed?: number;
  currentHealthy?: number;
  desiredHealthy?: number;
  expectedPods?: number;
  conditions?: Condition[];
}

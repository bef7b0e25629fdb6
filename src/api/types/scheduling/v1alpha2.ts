// Made by tools/generate-api-types.mjs of the API facts.
import type { Condition, ListMeta, ObjectMeta } from "../meta/v1.js";

export type DisruptionMode = "Pod" | "PodGroup";

export type BasicSchedulingPolicy = Record<string, never>;

export interface GangSchedulingPolicy {
  minCount: number;
}

/** PodGroup of scheduling.k8s.io/v1alpha2. Namespaced; resource `podgroups`. */
export interface PodGroup {
  kind?: "PodGroup";
  apiVersion?: "scheduling.k8s.io/v1alpha2";
  metadata?: ObjectMeta;
  spec: PodGroupSpec;
  status?: PodGroupStatus;
}

export interface PodGroupList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: PodGroup[];
}

export interface PodGroupResourceClaim {
  name: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}

export interface PodGroupResourceClaimStatus {
  name: string;
  resourceClaimName?: string;
}

export interface PodGroupSchedulingConstraints {
  topology?: TopologyConstraint[];
}

export interface PodGroupSchedulingPolicy {
  basic?: BasicSchedulingPolicy;
  gang?: GangSchedulingPolicy;
}

export interface PodGroupSpec {
  podGroupTemplateRef?: PodGroupTemplateReference | null;
  schedulingPolicy: PodGroupSchedulingPolicy;
  schedulingConstraints?: PodGroupSchedulingConstraints;
  resourceClaims?: PodGroupResourceClaim[];
  disruptionMode?: DisruptionMode;
  priorityClassName?: string;
  priority?: number;
}

export interface PodGroupStatus {
  conditions?: Condition[];
  resourceClaimStatuses?: PodGroupResourceClaimStatus[];
}

export interface PodGroupTemplate {
  name: string;
  schedulingPolicy: PodGroupSchedulingPolicy;
  schedulingConstraints?: PodGroupSchedulingConstraints | null;
  resourceClaims?: PodGroupResourceClaim[];
  disruptionMode?: DisruptionMode;
  priorityClassName?: string;
  priority?: number;
}

export interface PodGroupTemplateReference {
  workload?: WorkloadPodGroupTemplateReference | null;
}

export interface TopologyConstraint {
  key: string;
}

export interface TypedLocalObjectReference {
  apiGroup?: string;
  kind: string;
  name: string;
}

/** Workload of scheduling.k8s.io/v1alpha2. Namespaced; resource `workloads`. */
export interface Workload {
  kind?: "Workload";
  apiVersion?: "scheduling.k8s.io/v1alpha2";
  metadata?: ObjectMeta;
  spec: WorkloadSpec;
}

export interface WorkloadList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Workload[];
}

export interface WorkloadPodGroupTemplateReference {
  workloadName: string;
  podGroupTemplateName: string;
}

export interface WorkloadSpec {
  controllerRef?: TypedLocalObjectReference;
  podGroupTemplates: PodGroupTemplate[];
}

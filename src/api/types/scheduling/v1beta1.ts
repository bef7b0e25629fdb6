// Made by tools/generate-api-types.mjs of the API facts.
import type { Condition, ListMeta, ObjectMeta } from "../meta/v1.js";

export type PreemptionPolicy = "Never" | "PreemptLowerPriority";

export type AllCompositeDisruptionMode = Record<string, never>;

export type AllDisruptionMode = Record<string, never>;

export type BasicSchedulingPolicy = Record<string, never>;

export type CompositeBasicSchedulingPolicy = Record<string, never>;

export interface CompositeDisruptionMode {
  single?: SingleCompositeDisruptionMode;
  all?: AllCompositeDisruptionMode;
}

export interface CompositeGangSchedulingPolicy {
  minGroupCount: number;
}

export interface CompositePodGroupSchedulingConstraints {
  topology?: TopologyConstraint[];
}

export interface CompositePodGroupSchedulingPolicy {
  basic?: CompositeBasicSchedulingPolicy;
  gang?: CompositeGangSchedulingPolicy;
}

export interface CompositePodGroupTemplate {
  name: string;
  schedulingPolicy: CompositePodGroupSchedulingPolicy;
  schedulingConstraints?: CompositePodGroupSchedulingConstraints;
  disruptionMode?: CompositeDisruptionMode;
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: PreemptionPolicy;
  podGroupTemplates?: PodGroupTemplate[];
  compositePodGroupTemplates?: CompositePodGroupTemplate[];
}

export interface DisruptionMode {
  single?: SingleDisruptionMode;
  all?: AllDisruptionMode;
}

export interface GangSchedulingPolicy {
  minCount: number;
}

/** PodGroup of scheduling.k8s.io/v1beta1, since Kubernetes 1.37. Namespaced; resource `podgroups`. */
export interface PodGroup {
  kind?: "PodGroup";
  apiVersion?: "scheduling.k8s.io/v1beta1";
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
  parentCompositePodGroupName?: string;
  workloadRef?: WorkloadReference;
  schedulingPolicy: PodGroupSchedulingPolicy;
  schedulingConstraints?: PodGroupSchedulingConstraints;
  resourceClaims?: PodGroupResourceClaim[];
  disruptionMode?: DisruptionMode;
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: PreemptionPolicy;
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
  preemptionPolicy?: PreemptionPolicy;
}

export type SingleCompositeDisruptionMode = Record<string, never>;

export type SingleDisruptionMode = Record<string, never>;

export interface TopologyConstraint {
  key: string;
}

export interface TypedLocalObjectReference {
  apiGroup?: string;
  kind: string;
  name: string;
}

/** Workload of scheduling.k8s.io/v1beta1, since Kubernetes 1.37. Namespaced; resource `workloads`. */
export interface Workload {
  kind?: "Workload";
  apiVersion?: "scheduling.k8s.io/v1beta1";
  metadata?: ObjectMeta;
  spec: WorkloadSpec;
}

export interface WorkloadList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Workload[];
}

export interface WorkloadReference {
  workloadName: string;
  templateName: string;
}

export interface WorkloadSpec {
  controllerRef?: TypedLocalObjectReference;
  podGroupTemplates?: PodGroupTemplate[] | null;
  compositePodGroupTemplates?: CompositePodGroupTemplate[];
}

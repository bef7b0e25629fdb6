// Made by tools/generate-api-types.mjs of the API facts.
import type { ConditionStatus, PersistentVolumeClaim, PodTemplateSpec } from "../core/v1.js";
import type { Int64, IntOrString, LabelSelector, ListMeta, ObjectMeta, RawExtension, Time } from "../meta/v1.js";

export type DaemonSetUpdateStrategyType = "OnDelete" | "RollingUpdate";

export type DeploymentConditionType = "Available" | "Progressing" | "ReplicaFailure" | (string & {});

export type DeploymentStrategyType = "Recreate" | "RollingUpdate";

export type PersistentVolumeClaimRetentionPolicyType = "Delete" | "Retain";

export type PodManagementPolicyType = "OrderedReady" | "Parallel";

export type StatefulSetUpdateStrategyType = "OnDelete" | "Recreate" | "RollingUpdate";

/** ControllerRevision of apps/v1, since Kubernetes 1.9. Namespaced; resource `controllerrevisions`. */
export interface ControllerRevision {
  kind?: "ControllerRevision";
  apiVersion?: "apps/v1";
  metadata?: ObjectMeta;
  data: RawExtension;
  revision?: Int64;
}

export interface ControllerRevisionList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ControllerRevision[];
}

/** DaemonSet of apps/v1, since Kubernetes 1.9. Namespaced; resource `daemonsets`. */
export interface DaemonSet {
  kind?: "DaemonSet";
  apiVersion?: "apps/v1";
  metadata?: ObjectMeta;
  spec: DaemonSetSpec;
  status?: DaemonSetStatus;
}

export interface DaemonSetCondition {
  type?: string;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

export interface DaemonSetList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: DaemonSet[];
}

export interface DaemonSetSpec {
  selector: LabelSelector;
  template: PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
}

export interface DaemonSetStatus {
  currentNumberScheduled: number;
  numberMisscheduled: number;
  desiredNumberScheduled: number;
  numberReady: number;
  observedGeneration?: Int64;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  collisionCount?: number;
  conditions?: DaemonSetCondition[];
}

export interface DaemonSetUpdateStrategy {
  type?: DaemonSetUpdateStrategyType;
  rollingUpdate?: RollingUpdateDaemonSet;
}

/** Deployment of apps/v1, since Kubernetes 1.9. Namespaced; resource `deployments`. */
export interface Deployment {
  kind?: "Deployment";
  apiVersion?: "apps/v1";
  metadata?: ObjectMeta;
  spec: DeploymentSpec;
  status?: DeploymentStatus;
}

export interface DeploymentCondition {
  type?: DeploymentConditionType;
  status?: ConditionStatus;
  lastUpdateTime?: Time | null;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

export interface DeploymentList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Deployment[];
}

export interface DeploymentSpec {
  replicas?: number;
  selector: LabelSelector;
  template: PodTemplateSpec;
  strategy?: DeploymentStrategy;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  paused?: boolean;
  progressDeadlineSeconds?: number;
}

export interface DeploymentStatus {
  observedGeneration?: Int64;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  terminatingReplicas?: number;
  conditions?: DeploymentCondition[];
  collisionCount?: number;
}

export interface DeploymentStrategy {
  type?: DeploymentStrategyType;
  rollingUpdate?: RollingUpdateDeployment;
}

/** ReplicaSet of apps/v1, since Kubernetes 1.9. Namespaced; resource `replicasets`. */
export interface ReplicaSet {
  kind?: "ReplicaSet";
  apiVersion?: "apps/v1";
  metadata?: ObjectMeta;
  spec: ReplicaSetSpec;
  status?: ReplicaSetStatus;
}

export interface ReplicaSetCondition {
  type?: string;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

export interface ReplicaSetList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ReplicaSet[];
}

export interface ReplicaSetSpec {
  replicas?: number;
  minReadySeconds?: number;
  selector: LabelSelector;
  template?: PodTemplateSpec;
}

export interface ReplicaSetStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: Int64;
  conditions?: ReplicaSetCondition[];
}

export interface RollingUpdateDaemonSet {
  maxUnavailable?: IntOrString;
  maxSurge?: IntOrString;
}

export interface RollingUpdateDeployment {
  maxUnavailable?: IntOrString;
  maxSurge?: IntOrString;
}

export interface RollingUpdateStatefulSetStrategy {
  partition?: number;
  maxUnavailable?: IntOrString;
}

/** StatefulSet of apps/v1, since Kubernetes 1.9. Namespaced; resource `statefulsets`. */
export interface StatefulSet {
  kind?: "StatefulSet";
  apiVersion?: "apps/v1";
  metadata?: ObjectMeta;
  spec: StatefulSetSpec;
  status?: StatefulSetStatus;
}

export interface StatefulSetCondition {
  type?: string;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

export interface StatefulSetList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: StatefulSet[];
}

export interface StatefulSetOrdinals {
  start?: number;
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  whenDeleted?: PersistentVolumeClaimRetentionPolicyType;
  whenScaled?: PersistentVolumeClaimRetentionPolicyType;
}

export interface StatefulSetSpec {
  replicas?: number;
  selector: LabelSelector;
  template: PodTemplateSpec;
  volumeClaimTemplates?: PersistentVolumeClaim[];
  serviceName?: string;
  podManagementPolicy?: PodManagementPolicyType;
  updateStrategy?: StatefulSetUpdateStrategy;
  revisionHistoryLimit?: number;
  minReadySeconds?: number;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  ordinals?: StatefulSetOrdinals;
}

export interface StatefulSetStatus {
  observedGeneration?: Int64;
  replicas: number;
  readyReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
  conditions?: StatefulSetCondition[];
  availableReplicas?: number;
}

export interface StatefulSetUpdateStrategy {
  type?: StatefulSetUpdateStrategyType;
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
}

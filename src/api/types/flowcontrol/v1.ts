// Made by tools/generate-api-types.mjs of the API facts.
import type { ListMeta, ObjectMeta, Time } from "../meta/v1.js";

export type ConditionStatus = "False" | "True" | "Unknown";

export type FlowDistinguisherMethodType = "ByNamespace" | "ByUser";

export type LimitResponseType = "Queue" | "Reject";

export type PriorityLevelEnablement = "Exempt" | "Limited";

export type SubjectKind = "Group" | "ServiceAccount" | "User";

export interface ExemptPriorityLevelConfiguration {
  nominalConcurrencyShares?: number;
  lendablePercent?: number;
}

export interface FlowDistinguisherMethod {
  type: FlowDistinguisherMethodType;
}

/** FlowSchema of flowcontrol.apiserver.k8s.io/v1, since Kubernetes 1.29. Cluster-scoped; resource `flowschemas`. */
export interface FlowSchema {
  kind?: "FlowSchema";
  apiVersion?: "flowcontrol.apiserver.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: FlowSchemaSpec;
  status?: FlowSchemaStatus;
}

export interface FlowSchemaCondition {
  type: string;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

export interface FlowSchemaList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: FlowSchema[];
}

export interface FlowSchemaSpec {
  priorityLevelConfiguration: PriorityLevelConfigurationReference;
  matchingPrecedence?: number;
  distinguisherMethod?: FlowDistinguisherMethod;
  rules?: PolicyRulesWithSubjects[];
}

export interface FlowSchemaStatus {
  conditions?: FlowSchemaCondition[];
}

export interface GroupSubject {
  name: string;
}

export interface LimitResponse {
  type: LimitResponseType;
  queuing?: QueuingConfiguration;
}

export interface LimitedPriorityLevelConfiguration {
  nominalConcurrencyShares?: number | null;
  limitResponse: LimitResponse;
  lendablePercent?: number;
  borrowingLimitPercent?: number;
}

export interface NonResourcePolicyRule {
  verbs: string[];
  nonResourceURLs: string[];
}

export interface PolicyRulesWithSubjects {
  subjects: Subject[];
  resourceRules?: ResourcePolicyRule[];
  nonResourceRules?: NonResourcePolicyRule[];
}

/** PriorityLevelConfiguration of flowcontrol.apiserver.k8s.io/v1, since Kubernetes 1.29. Cluster-scoped; resource `prioritylevelconfigurations`. */
export interface PriorityLevelConfiguration {
  kind?: "PriorityLevelConfiguration";
  apiVersion?: "flowcontrol.apiserver.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: PriorityLevelConfigurationSpec;
  status?: PriorityLevelConfigurationStatus;
}

export interface PriorityLevelConfigurationCondition {
  type: string;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

export interface PriorityLevelConfigurationList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: PriorityLevelConfiguration[];
}

export interface PriorityLevelConfigurationReference {
  name: string;
}

export interface PriorityLevelConfigurationSpec {
  type: PriorityLevelEnablement;
  limited?: LimitedPriorityLevelConfiguration;
  exempt?: ExemptPriorityLevelConfiguration;
}

export interface PriorityLevelConfigurationStatus {
  conditions?: PriorityLevelConfigurationCondition[];
}

export interface QueuingConfiguration {
  queues?: number;
  handSize?: number;
  queueLengthLimit?: number;
}

export interface ResourcePolicyRule {
  verbs: string[];
  apiGroups: string[];
  resources: string[];
  clusterScope?: boolean;
  namespaces?: string[] | null;
}

export interface ServiceAccountSubject {
  namespace: string;
  name: string;
}

export interface Subject {
  kind: SubjectKind;
  user?: UserSubject;
  group?: GroupSubject;
  serviceAccount?: ServiceAccountSubject;
}

export interface UserSubject {
  name: string;
}

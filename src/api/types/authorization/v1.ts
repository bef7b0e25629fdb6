// Made by tools/generate-api-types.mjs of the API facts.
import type { FieldSelectorRequirement, LabelSelectorRequirement, ObjectMeta } from "../meta/v1.js";

export interface FieldSelectorAttributes {
  rawSelector?: string;
  requirements?: FieldSelectorRequirement[];
}

export interface LabelSelectorAttributes {
  rawSelector?: string;
  requirements?: LabelSelectorRequirement[];
}

/** LocalSubjectAccessReview of authorization.k8s.io/v1, since Kubernetes 1.19. Namespaced; resource `localsubjectaccessreviews`. */
export interface LocalSubjectAccessReview {
  kind?: "LocalSubjectAccessReview";
  apiVersion?: "authorization.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

export interface NonResourceAttributes {
  path?: string;
  verb?: string;
}

export interface NonResourceRule {
  verbs: string[];
  nonResourceURLs?: string[];
}

export interface ResourceAttributes {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
  fieldSelector?: FieldSelectorAttributes;
  labelSelector?: LabelSelectorAttributes;
}

export interface ResourceRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
}

/** SelfSubjectAccessReview of authorization.k8s.io/v1, since Kubernetes 1.19. Cluster-scoped; resource `selfsubjectaccessreviews`. */
export interface SelfSubjectAccessReview {
  kind?: "SelfSubjectAccessReview";
  apiVersion?: "authorization.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: SelfSubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

export interface SelfSubjectAccessReviewSpec {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
}

/** SelfSubjectRulesReview of authorization.k8s.io/v1, since Kubernetes 1.19. Cluster-scoped; resource `selfsubjectrulesreviews`. */
export interface SelfSubjectRulesReview {
  kind?: "SelfSubjectRulesReview";
  apiVersion?: "authorization.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: SelfSubjectRulesReviewSpec;
  status?: SubjectRulesReviewStatus;
}

export interface SelfSubjectRulesReviewSpec {
  namespace?: string;
}

/** SubjectAccessReview of authorization.k8s.io/v1, since Kubernetes 1.6. Cluster-scoped; resource `subjectaccessreviews`. */
export interface SubjectAccessReview {
  kind?: "SubjectAccessReview";
  apiVersion?: "authorization.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

export interface SubjectAccessReviewSpec {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
  user?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
  uid?: string;
}

export interface SubjectAccessReviewStatus {
  allowed: boolean;
  denied?: boolean;
  reason?: string;
  evaluationError?: string;
}

export interface SubjectRulesReviewStatus {
  resourceRules: ResourceRule[];
  nonResourceRules: NonResourceRule[];
  incomplete: boolean;
  evaluationError?: string;
}

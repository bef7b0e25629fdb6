// Made by tools/generate-api-types.mjs of the API facts.
import type { LabelSelector, ListMeta, ObjectMeta } from "../meta/v1.js";

export interface AggregationRule {
  clusterRoleSelectors?: LabelSelector[];
}

/** ClusterRole of rbac.authorization.k8s.io/v1, since Kubernetes 1.8. Cluster-scoped; resource `clusterroles`. */
export interface ClusterRole {
  kind?: "ClusterRole";
  apiVersion?: "rbac.authorization.k8s.io/v1";
  metadata?: ObjectMeta;
  rules?: PolicyRule[] | null;
  aggregationRule?: AggregationRule;
}

/** ClusterRoleBinding of rbac.authorization.k8s.io/v1, since Kubernetes 1.8. Cluster-scoped; resource `clusterrolebindings`. */
export interface ClusterRoleBinding {
  kind?: "ClusterRoleBinding";
  apiVersion?: "rbac.authorization.k8s.io/v1";
  metadata?: ObjectMeta;
  subjects?: Subject[];
  roleRef: RoleRef;
}

export interface ClusterRoleBindingList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ClusterRoleBinding[];
}

export interface ClusterRoleList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ClusterRole[];
}

export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

/** Role of rbac.authorization.k8s.io/v1, since Kubernetes 1.8. Namespaced; resource `roles`. */
export interface Role {
  kind?: "Role";
  apiVersion?: "rbac.authorization.k8s.io/v1";
  metadata?: ObjectMeta;
  rules?: PolicyRule[] | null;
}

/** RoleBinding of rbac.authorization.k8s.io/v1, since Kubernetes 1.8. Namespaced; resource `rolebindings`. */
export interface RoleBinding {
  kind?: "RoleBinding";
  apiVersion?: "rbac.authorization.k8s.io/v1";
  metadata?: ObjectMeta;
  subjects?: Subject[];
  roleRef: RoleRef;
}

export interface RoleBindingList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: RoleBinding[];
}

export interface RoleList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Role[];
}

export interface RoleRef {
  apiGroup?: string;
  kind: string;
  name: string;
}

export interface Subject {
  kind: string;
  apiGroup?: string;
  name: string;
  namespace?: string;
}

// Made by tools/generate-api-types.mjs of the API facts.
import type { Base64, ListMeta, ObjectMeta, Time } from "../meta/v1.js";

export type APIServiceConditionType = "Available" | (string & {});

export type ConditionStatus = "False" | "True" | "Unknown";

/** APIService of apiregistration.k8s.io/v1, since Kubernetes 1.10. Cluster-scoped; resource `apiservices`. */
export interface APIService {
  kind?: "APIService";
  apiVersion?: "apiregistration.k8s.io/v1";
  metadata?: ObjectMeta;
  spec?: APIServiceSpec;
  status?: APIServiceStatus;
}

export interface APIServiceCondition {
  type: APIServiceConditionType;
  status: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
}

export interface APIServiceList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: APIService[];
}

export interface APIServiceSpec {
  service?: ServiceReference;
  group?: string;
  version?: string;
  insecureSkipTLSVerify?: boolean;
  caBundle?: Base64;
  groupPriorityMinimum: number;
  versionPriority: number;
}

export interface APIServiceStatus {
  conditions?: APIServiceCondition[];
}

export interface ServiceReference {
  namespace?: string;
  name?: string;
  port?: number;
}

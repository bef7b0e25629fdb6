// Made by tools/generate-api-types.mjs of the API facts.
import type { Condition, ListMeta, ObjectMeta } from "../meta/v1.js";

/**
 * IPAddress of networking.k8s.io/v1beta1, since Kubernetes 1.31. Cluster-scoped; resource `ipaddresses`.
 * @deprecated since Kubernetes 1.34, removed in 1.37.
 */
export interface IPAddress {
  kind?: "IPAddress";
  apiVersion?: "networking.k8s.io/v1beta1";
  metadata?: ObjectMeta;
  spec: IPAddressSpec;
}

export interface IPAddressList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: IPAddress[];
}

export interface IPAddressSpec {
  parentRef: ParentReference;
}

export interface ParentReference {
  group?: string;
  resource: string;
  namespace?: string;
  name: string;
}

/**
 * ServiceCIDR of networking.k8s.io/v1beta1, since Kubernetes 1.31. Cluster-scoped; resource `servicecidrs`.
 * @deprecated since Kubernetes 1.34, removed in 1.37.
 */
export interface ServiceCIDR {
  kind?: "ServiceCIDR";
  apiVersion?: "networking.k8s.io/v1beta1";
  metadata?: ObjectMeta;
  spec?: ServiceCIDRSpec;
  status?: ServiceCIDRStatus;
}

export interface ServiceCIDRList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ServiceCIDR[];
}

export interface ServiceCIDRSpec {
  cidrs?: string[];
}

export interface ServiceCIDRStatus {
  conditions?: Condition[];
}

// Made by tools/generate-api-types.mjs of the API facts.
import type { Protocol, TypedLocalObjectReference } from "../core/v1.js";
import type { Condition, IntOrString, LabelSelector, ListMeta, ObjectMeta } from "../meta/v1.js";

export type PathType = "Exact" | "ImplementationSpecific" | "Prefix";

export type PolicyType = "Egress" | "Ingress";

export interface HTTPIngressPath {
  path?: string;
  pathType: PathType;
  backend: IngressBackend;
}

export interface HTTPIngressRuleValue {
  paths: HTTPIngressPath[];
}

/** IPAddress of networking.k8s.io/v1, since Kubernetes 1.33. Cluster-scoped; resource `ipaddresses`. */
export interface IPAddress {
  kind?: "IPAddress";
  apiVersion?: "networking.k8s.io/v1";
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

export interface IPBlock {
  cidr: string;
  except?: string[];
}

/** Ingress of networking.k8s.io/v1, since Kubernetes 1.19. Namespaced; resource `ingresses`. */
export interface Ingress {
  kind?: "Ingress";
  apiVersion?: "networking.k8s.io/v1";
  metadata?: ObjectMeta;
  spec?: IngressSpec;
  status?: IngressStatus;
}

export interface IngressBackend {
  service?: IngressServiceBackend;
  resource?: TypedLocalObjectReference;
}

/** IngressClass of networking.k8s.io/v1, since Kubernetes 1.19. Cluster-scoped; resource `ingressclasses`. */
export interface IngressClass {
  kind?: "IngressClass";
  apiVersion?: "networking.k8s.io/v1";
  metadata?: ObjectMeta;
  spec?: IngressClassSpec;
}

export interface IngressClassList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: IngressClass[];
}

export interface IngressClassParametersReference {
  apiGroup?: string;
  kind: string;
  name: string;
  scope?: string | null;
  namespace?: string;
}

export interface IngressClassSpec {
  controller?: string;
  parameters?: IngressClassParametersReference;
}

export interface IngressList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Ingress[];
}

export interface IngressLoadBalancerIngress {
  ip?: string;
  hostname?: string;
  ports?: IngressPortStatus[];
}

export interface IngressLoadBalancerStatus {
  ingress?: IngressLoadBalancerIngress[];
}

export interface IngressPortStatus {
  port: number;
  protocol: Protocol;
  error?: string;
}

export interface IngressRule {
  host?: string;
  http?: HTTPIngressRuleValue;
}

export interface IngressServiceBackend {
  name: string;
  port?: ServiceBackendPort;
}

export interface IngressSpec {
  ingressClassName?: string;
  defaultBackend?: IngressBackend;
  tls?: IngressTLS[];
  rules?: IngressRule[];
}

export interface IngressStatus {
  loadBalancer?: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  hosts?: string[];
  secretName?: string;
}

/** NetworkPolicy of networking.k8s.io/v1, since Kubernetes 1.7. Namespaced; resource `networkpolicies`. */
export interface NetworkPolicy {
  kind?: "NetworkPolicy";
  apiVersion?: "networking.k8s.io/v1";
  metadata?: ObjectMeta;
  spec?: NetworkPolicySpec;
}

export interface NetworkPolicyEgressRule {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
}

export interface NetworkPolicyIngressRule {
  ports?: NetworkPolicyPort[];
  from?: NetworkPolicyPeer[];
}

export interface NetworkPolicyList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: NetworkPolicy[];
}

export interface NetworkPolicyPeer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: IPBlock;
}

export interface NetworkPolicyPort {
  protocol?: Protocol;
  port?: IntOrString;
  endPort?: number;
}

export interface NetworkPolicySpec {
  podSelector?: LabelSelector;
  ingress?: NetworkPolicyIngressRule[];
  egress?: NetworkPolicyEgressRule[];
  policyTypes?: PolicyType[];
}

export interface ParentReference {
  group?: string;
  resource: string;
  namespace?: string;
  name: string;
}

export interface ServiceBackendPort {
  name?: string;
  number?: number;
}

/** ServiceCIDR of networking.k8s.io/v1, since Kubernetes 1.33. Cluster-scoped; resource `servicecidrs`. */
export interface ServiceCIDR {
  kind?: "ServiceCIDR";
  apiVersion?: "networking.k8s.io/v1";
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

// Made by tools/generate-api-types.mjs of the API facts.
import type { ConditionStatus } from "../core/v1.js";
import type { Base64, Condition, ListMeta, ObjectMeta, Time } from "../meta/v1.js";

export type KeyUsage =
  | "any"
  | "cert sign"
  | "client auth"
  | "code signing"
  | "content commitment"
  | "crl sign"
  | "data encipherment"
  | "decipher only"
  | "digital signature"
  | "email protection"
  | "encipher only"
  | "ipsec end system"
  | "ipsec tunnel"
  | "ipsec user"
  | "key agreement"
  | "key encipherment"
  | "microsoft sgc"
  | "netscape sgc"
  | "ocsp signing"
  | "s/mime"
  | "server auth"
  | "signing"
  | "timestamping";

export type RequestConditionType = "Approved" | "Denied" | "Failed" | (string & {});

/** CertificateSigningRequest of certificates.k8s.io/v1, since Kubernetes 1.19. Cluster-scoped; resource `certificatesigningrequests`. */
export interface CertificateSigningRequest {
  kind?: "CertificateSigningRequest";
  apiVersion?: "certificates.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: CertificateSigningRequestSpec;
  status?: CertificateSigningRequestStatus;
}

export interface CertificateSigningRequestCondition {
  type: RequestConditionType;
  status: ConditionStatus;
  reason?: string;
  message?: string;
  lastUpdateTime?: Time | null;
  lastTransitionTime?: Time | null;
}

export interface CertificateSigningRequestList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: CertificateSigningRequest[];
}

export interface CertificateSigningRequestSpec {
  request: Base64;
  signerName: string;
  expirationSeconds?: number;
  usages?: KeyUsage[];
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

export interface CertificateSigningRequestStatus {
  conditions?: CertificateSigningRequestCondition[];
  certificate?: Base64;
}

/** ClusterTrustBundle of certificates.k8s.io/v1, since Kubernetes 1.37. Cluster-scoped; resource `clustertrustbundles`. */
export interface ClusterTrustBundle {
  kind?: "ClusterTrustBundle";
  apiVersion?: "certificates.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: ClusterTrustBundleSpec;
}

export interface ClusterTrustBundleList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ClusterTrustBundle[];
}

export interface ClusterTrustBundleSpec {
  signerName?: string;
  trustBundle: string;
}

/** PodCertificateRequest of certificates.k8s.io/v1, since Kubernetes 1.37. Namespaced; resource `podcertificaterequests`. */
export interface PodCertificateRequest {
  kind?: "PodCertificateRequest";
  apiVersion?: "certificates.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: PodCertificateRequestSpec;
  status?: PodCertificateRequestStatus;
}

export interface PodCertificateRequestList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: PodCertificateRequest[];
}

export interface PodCertificateRequestSpec {
  signerName: string;
  podName: string;
  podUID: string;
  serviceAccountName: string;
  serviceAccountUID: string;
  nodeName: string;
  nodeUID: string;
  maxExpirationSeconds?: number;
  stubPKCS10Request: Base64;
  unverifiedUserAnnotations?: Record<string, string>;
}

export interface PodCertificateRequestStatus {
  conditions?: Condition[];
  certificateChain?: string;
  notBefore?: Time;
  beginRefreshAt?: Time;
  notAfter?: Time;
}

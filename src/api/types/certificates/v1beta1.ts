// Made by tools/generate-api-types.mjs of the API facts.
import type { Base64, Condition, ListMeta, ObjectMeta, Time } from "../meta/v1.js";

/** ClusterTrustBundle of certificates.k8s.io/v1beta1, since Kubernetes 1.33. Cluster-scoped; resource `clustertrustbundles`. */
export interface ClusterTrustBundle {
  kind?: "ClusterTrustBundle";
  apiVersion?: "certificates.k8s.io/v1beta1";
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

/** PodCertificateRequest of certificates.k8s.io/v1beta1, since Kubernetes 1.35. Namespaced; resource `podcertificaterequests`. */
export interface PodCertificateRequest {
  kind?: "PodCertificateRequest";
  apiVersion?: "certificates.k8s.io/v1beta1";
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
  pkixPublicKey?: Base64 | null;
  proofOfPossession?: Base64 | null;
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

// Made by tools/generate-api-types.mjs of the API facts.
import type { ListMeta, ObjectMeta } from "../meta/v1.js";

/**
 * ClusterTrustBundle of certificates.k8s.io/v1alpha1, since Kubernetes 1.26. Cluster-scoped; resource `clustertrustbundles`.
 * @deprecated since Kubernetes 1.34, removed in 1.37.
 */
export interface ClusterTrustBundle {
  kind?: "ClusterTrustBundle";
  apiVersion?: "certificates.k8s.io/v1alpha1";
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

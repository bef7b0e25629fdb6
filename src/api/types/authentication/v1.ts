// Made by tools/generate-api-types.mjs of the API facts.
import type { Int64, ObjectMeta, Time } from "../meta/v1.js";

export interface BoundObjectReference {
  kind?: string;
  apiVersion?: string;
  name?: string;
  uid?: string;
}

/** SelfSubjectReview of authentication.k8s.io/v1, since Kubernetes 1.28. Cluster-scoped; resource `selfsubjectreviews`. */
export interface SelfSubjectReview {
  kind?: "SelfSubjectReview";
  apiVersion?: "authentication.k8s.io/v1";
  metadata?: ObjectMeta;
  status?: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewStatus {
  userInfo?: UserInfo;
}

export interface TokenRequest {
  kind?: "TokenRequest";
  apiVersion?: "authentication.k8s.io/v1";
  metadata?: ObjectMeta;
  spec?: TokenRequestSpec;
  status?: TokenRequestStatus;
}

export interface TokenRequestSpec {
  audiences?: string[] | null;
  expirationSeconds?: Int64 | null;
  boundObjectRef?: BoundObjectReference | null;
  attestations?: Record<string, string[]>;
}

export interface TokenRequestStatus {
  token?: string;
  expirationTimestamp?: Time | null;
}

/** TokenReview of authentication.k8s.io/v1, since Kubernetes 1.6. Cluster-scoped; resource `tokenreviews`. */
export interface TokenReview {
  kind?: "TokenReview";
  apiVersion?: "authentication.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: TokenReviewSpec;
  status?: TokenReviewStatus;
}

export interface TokenReviewSpec {
  token: string;
  audiences?: string[];
}

export interface TokenReviewStatus {
  authenticated?: boolean;
  user?: UserInfo;
  audiences?: string[];
  error?: string;
}

export interface UserInfo {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

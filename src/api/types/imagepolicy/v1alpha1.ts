// Made by tools/generate-api-types.mjs of the API facts.
import type { ObjectMeta } from "../meta/v1.js";

export interface ImageReview {
  kind?: "ImageReview";
  apiVersion?: "imagepolicy.k8s.io/v1alpha1";
  metadata?: ObjectMeta;
  spec: ImageReviewSpec;
  status?: ImageReviewStatus;
}

export interface ImageReviewContainerSpec {
  image?: string;
}

export interface ImageReviewSpec {
  containers?: ImageReviewContainerSpec[];
  annotations?: Record<string, string>;
  namespace?: string;
}

export interface ImageReviewStatus {
  allowed: boolean;
  reason?: string;
  auditAnnotations?: Record<string, string>;
}

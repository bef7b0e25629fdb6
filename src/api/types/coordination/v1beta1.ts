// Made by tools/generate-api-types.mjs of the API facts.
import type { ListMeta, MicroTime, ObjectMeta } from "../meta/v1.js";

/**
 * LeaseCandidate of coordination.k8s.io/v1beta1, since Kubernetes 1.33. Namespaced; resource `leasecandidates`.
 * @deprecated since Kubernetes 1.36, removed in 1.39.
 */
export interface LeaseCandidate {
  kind?: "LeaseCandidate";
  apiVersion?: "coordination.k8s.io/v1beta1";
  metadata?: ObjectMeta;
  spec: LeaseCandidateSpec;
}

export interface LeaseCandidateList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: LeaseCandidate[];
}

export interface LeaseCandidateSpec {
  leaseName: string;
  pingTime?: MicroTime;
  renewTime?: MicroTime;
  binaryVersion: string;
  emulationVersion?: string;
  strategy: string;
}

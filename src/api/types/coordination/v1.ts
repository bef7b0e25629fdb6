// Made by tools/generate-api-types.mjs of the API facts.
import type { ListMeta, MicroTime, ObjectMeta } from "../meta/v1.js";

/** Lease of coordination.k8s.io/v1, since Kubernetes 1.14. Namespaced; resource `leases`. */
export interface Lease {
  kind?: "Lease";
  apiVersion?: "coordination.k8s.io/v1";
  metadata?: ObjectMeta;
  spec?: LeaseSpec;
}

export interface LeaseList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: Lease[];
}

export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: MicroTime;
  renewTime?: MicroTime;
  leaseTransitions?: number;
  strategy?: string;
  preferredHolder?: string;
}

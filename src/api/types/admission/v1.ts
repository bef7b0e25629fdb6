// Made by tools/generate-api-types.mjs of the API facts.
import type { UserInfo } from "../authentication/v1.js";
import type { Base64, GroupVersionKind, GroupVersionResource, RawExtension, Status } from "../meta/v1.js";

export type Operation = "CONNECT" | "CREATE" | "DELETE" | "UPDATE";

export type PatchType = "JSONPatch";

export interface AdmissionRequest {
  uid: string;
  kind: GroupVersionKind;
  resource: GroupVersionResource;
  subResource?: string;
  requestKind?: GroupVersionKind;
  requestResource?: GroupVersionResource;
  requestSubResource?: string;
  name?: string;
  namespace?: string;
  operation: Operation;
  userInfo: UserInfo;
  object?: RawExtension;
  oldObject?: RawExtension;
  dryRun?: boolean;
  options?: RawExtension;
}

export interface AdmissionResponse {
  uid: string;
  allowed: boolean;
  status?: Status;
  patch?: Base64;
  patchType?: PatchType;
  auditAnnotations?: Record<string, string>;
  warnings?: string[];
}

export interface AdmissionReview {
  kind?: "AdmissionReview";
  apiVersion?: "admission.k8s.io/v1";
  request?: AdmissionRequest;
  response?: AdmissionResponse;
}

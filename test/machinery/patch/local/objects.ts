import type { JsonObject, JsonValue } from "../../../../src/machinery/meta/json.js";

// Objects to patch. Some hold what no server would store: a patch is computed before anything is validated.

const object = (apiVersion: string, kind: string, rest: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  ...rest,
  metadata: { name: "x", ...(rest["metadata"] as JsonObject | undefined) },
});

export const configMap = (data: JsonValue, metadata: JsonObject = {}): JsonObject =>
  object("v1", "ConfigMap", { metadata, data });
export const labelled = (labels: JsonValue, metadata: JsonObject = {}): JsonObject =>
  object("v1", "Pod", { metadata: { labels, ...metadata } });
export const finalized = (...finalizers: JsonValue[]): JsonObject => object("v1", "Pod", { metadata: { finalizers } });
export const podWith = (spec: JsonObject): JsonObject => object("v1", "Pod", { spec });
export const containers = (...list: JsonValue[]): JsonObject => podWith({ containers: list });
export const volumes = (...list: JsonValue[]): JsonObject => podWith({ volumes: list });
/** A pod of one container with these fields. */
export const container = (fields: JsonObject): JsonObject => containers({ name: "c", ...fields });
export const ports = (...list: JsonValue[]): JsonObject => container({ ports: list });
export const env = (...list: JsonValue[]): JsonObject => container({ env: list });
export const deployment = (spec: JsonObject): JsonObject => object("apps/v1", "Deployment", { spec });
export const template = (spec: JsonObject): JsonObject => deployment({ template: { spec } });
export const service = (spec: JsonObject, status: JsonObject = {}): JsonObject =>
  object("v1", "Service", { spec, status });
export const serviceAccount = (rest: JsonObject): JsonObject => object("v1", "ServiceAccount", rest);
export const node = (spec: JsonObject, status: JsonObject = {}): JsonObject => object("v1", "Node", { spec, status });
export const podStatus = (status: JsonObject): JsonObject => object("v1", "Pod", { status });
export const webhooks = (...list: JsonValue[]): JsonObject =>
  object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", { webhooks: list });
export const role = (...rules: JsonValue[]): JsonObject =>
  object("rbac.authorization.k8s.io/v1", "ClusterRole", { rules });
export const job = (spec: JsonObject): JsonObject => object("batch/v1", "Job", { spec });
export const owned = (...ownerReferences: JsonValue[]): JsonObject =>
  object("v1", "Pod", { metadata: { ownerReferences } });
export const revision = (data: JsonValue): JsonObject => object("apps/v1", "ControllerRevision", { data });
export const signingRequest = (spec: JsonObject): JsonObject =>
  object("certificates.k8s.io/v1", "CertificateSigningRequest", { spec });
export const event = (fields: JsonObject): JsonObject => object("v1", "Event", fields);

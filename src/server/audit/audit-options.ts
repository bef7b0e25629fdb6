import type { auditOptions } from "../../component/apiserver-flags/auditing.js";
import type { OptionsOf } from "../../component/option-group.js";
import type { AuditFunction } from "./audit-event.js";
import type { AuditPolicy } from "./policy/audit-policy.js";

/** The audit log's file. Each option is a flag of kube-apiserver too. */
export type AuditLogOptions = OptionsOf<(typeof auditOptions)["log"]>;

/** The server that events are posted to. */
export type AuditWebhookOptions = OptionsOf<(typeof auditOptions)["webhook"]>;

/** The options that the log and the webhook share. */
export type BackendOptions = Pick<AuditLogOptions, "mode" | "batch" | "truncate">;

/** The options for which requests are audited, and where. Without a policy or without any backend nothing is. */
export interface AuditOptions {
  /** The path of a Policy of audit.k8s.io/v1, or the policy. */
  readonly policy?: string | AuditPolicy;
  /** A file, or the standard output. Default: none. */
  readonly log?: AuditLogOptions;
  /** Default: none. */
  readonly webhook?: AuditWebhookOptions;
  /** Functions that get every event, one after the other, beside log and webhook. */
  readonly backends?: readonly AuditFunction[];
}

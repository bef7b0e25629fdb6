import type { auditOptions } from "../../component/apiserver-flags/auditing.js";
import type { OptionsOf } from "../../component/option-group.js";
import type { AuditFunction } from "./backends/function-backend.js";
import type { AuditPolicy } from "./policy/audit-policy.js";

export type AuditLogOptions = OptionsOf<(typeof auditOptions)["log"]>;
export type AuditWebhookOptions = OptionsOf<(typeof auditOptions)["webhook"]>;
export type BackendOptions = Pick<AuditLogOptions, "mode" | "batch" | "truncate">;

/** Which requests are recorded, and where. Without a policy, and without any place, none is. */
export interface AuditOptions {
  /** The path of a Policy of audit.k8s.io/v1, or the policy. */
  readonly policy?: string | AuditPolicy;
  readonly log?: AuditLogOptions;
  readonly webhook?: AuditWebhookOptions;
  /** Functions that get every event, one after the other, beside log and webhook. */
  readonly backends?: readonly AuditFunction[];
}

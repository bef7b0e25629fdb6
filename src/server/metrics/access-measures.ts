import type { Family } from "../../machinery/metrics/family.js";
import type { MetricTable } from "../../machinery/metrics/metric-table.js";
import { ACCESS } from "./access-definitions.js";
import type { MeasuredAdmission, MeasuredPolicyCheck, MeasuredWebhookCall } from "./measures.js";
import { familiesOf } from "./request-measures.js";

/** HTTP statuses beyond this are counted as it. */
const HIGHEST_CODE = 600;

/** Counts the decisions of authentication, authorization and admission. */
export class AccessMeasures {
  readonly #families: { readonly [Key in keyof typeof ACCESS]: Family };

  constructor(table: MetricTable) {
    this.#families = familiesOf(table, ACCESS);
  }

  authenticated(result: string, username: string | undefined, milliseconds: number): void {
    const { authenticatedUsers, authenticationAttempts, authenticationDuration } = this.#families;
    if (username !== undefined) authenticatedUsers.add(authenticatedUsers.series(categoryOf(username)));
    authenticationAttempts.add(authenticationAttempts.series(result));
    authenticationDuration.observe(authenticationDuration.series(result), milliseconds / 1000);
  }

  authorized(result: string, milliseconds: number): void {
    const { authorizationAttempts, authorizationDuration } = this.#families;
    authorizationAttempts.add(authorizationAttempts.series(result));
    authorizationDuration.observe(authorizationDuration.series(result), milliseconds / 1000);
  }

  decided(type: string, name: string, decision: string): void {
    const { authorizationDecisions } = this.#families;
    authorizationDecisions.add(authorizationDecisions.series(type, name, decision));
  }

  admissionPlugin(name: string, { type, operation, rejected, milliseconds }: MeasuredAdmission): void {
    const { admissionPlugin } = this.#families;
    admissionPlugin.observe(admissionPlugin.series(name, type, operation, String(rejected)), milliseconds / 1000);
  }

  admissionStep({ type, operation, rejected, milliseconds }: MeasuredAdmission): void {
    const { admissionStep } = this.#families;
    admissionStep.observe(admissionStep.series(type, operation, String(rejected)), milliseconds / 1000);
  }

  webhook({ name, type, operation, rejected, milliseconds, code, rejection, failedOpen }: MeasuredWebhookCall): void {
    const { webhookDuration, webhookRequests, webhookRejections, webhookFailOpen } = this.#families;
    const isRejected = String(rejected);
    webhookRequests.add(webhookRequests.series(name, type, operation, codeText(code), isRejected));
    webhookDuration.observe(webhookDuration.series(name, type, operation, isRejected), milliseconds / 1000);
    if (failedOpen) webhookFailOpen.add(webhookFailOpen.series(name, type));
    if (rejection === undefined) return;
    const { errorType, code: rejectionCode } = rejection;
    webhookRejections.add(webhookRejections.series(name, type, operation, errorType, codeText(rejectionCode)));
  }

  rulesCompiled(milliseconds: number): void {
    const { rulesCompiled } = this.#families;
    rulesCompiled.observe(rulesCompiled.series(), milliseconds / 1000);
  }

  rulesEvaluated(milliseconds: number): void {
    const { rulesEvaluated } = this.#families;
    rulesEvaluated.observe(rulesEvaluated.series(), milliseconds / 1000);
  }

  policyCheck({ policy, binding, errorType, action, milliseconds }: MeasuredPolicyCheck): void {
    const { policyChecks, policyDuration } = this.#families;
    policyChecks.add(policyChecks.series(policy, binding, errorType, action));
    policyDuration.observe(policyDuration.series(policy, binding, errorType, action), milliseconds / 1000);
  }
}

const codeText = (code: number): string => String(Math.min(code, HIGHEST_CODE));

const KNOWN_USERS = ["admin", "client", "kube_proxy", "kubelet", "system:serviceaccount:kube-system:default"];

/** kube-apiserver's category of a user: no name is shown. */
function categoryOf(username: string): string {
  if (KNOWN_USERS.includes(username)) return username;
  return username.includes("@") ? "email_id" : "other";
}

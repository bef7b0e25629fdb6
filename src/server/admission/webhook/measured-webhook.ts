import { isStatusError } from "../../../machinery/errors/status-error.js";
import type { MeasuredWebhookCall } from "../../metrics/measures.js";
import { type AdmissionAttributes, AdmissionRecord } from "../attributes.js";
import type { AdmissionContext } from "../plugin.js";
import { CallingWebhookError } from "./call-webhook.js";
import type { Webhook } from "./webhook.js";

/** Calls a webhook, and reports the duration and the outcome to the server's metrics. */
export async function measuredWebhook<T>(
  type: MeasuredWebhookCall["type"],
  webhook: Webhook,
  attributes: AdmissionAttributes,
  { measuring }: Pick<AdmissionContext, "measuring">,
  call: () => Promise<T>,
): Promise<T> {
  const measures = measuring?.on;
  if (measures === undefined) return call();
  const began = measures.now();
  const { operation } = attributes;
  const tell = (outcome: Omit<MeasuredWebhookCall, "name" | "warnings" | "type" | "operation" | "milliseconds">) =>
    measures.webhook({
      name: webhook.name,
      warnings: attributes instanceof AdmissionRecord ? attributes.request.warnings : undefined,
      type,
      operation,
      milliseconds: measures.now() - began,
      ...outcome,
    });
  try {
    const result = await call();
    tell({ rejected: false, code: 200, failedOpen: false });
    return result;
  } catch (error) {
    tell(outcomeOf(error, webhook));
    throw error;
  }
}

/** kube-apiserver's words for why a webhook's call ended with an error. */
function outcomeOf(
  error: unknown,
  { ignoresFailures }: Webhook,
): Pick<MeasuredWebhookCall, "rejected" | "code" | "rejection" | "failedOpen"> {
  if (error instanceof CallingWebhookError) {
    const code = codeOf(error.cause);
    if (ignoresFailures) return { rejected: false, code, failedOpen: true };
    return { rejected: true, code, rejection: { errorType: "calling_webhook_error", code }, failedOpen: false };
  }
  if (isStatusError(error) && error.status.code < 500) {
    const { code } = error.status;
    return { rejected: true, code, rejection: { errorType: "no_error", code }, failedOpen: false };
  }
  const rejection = { errorType: "apiserver_internal_error", code: 0 } as const;
  return { rejected: true, code: 0, rejection, failedOpen: false };
}

/** The status of a call that failed: the webhook's own, 503 where there was none, and 400 for a webhook that cannot be called. */
function codeOf(cause: unknown): number {
  if (isStatusError(cause)) return cause.status.code;
  return cause instanceof Error ? 503 : 400;
}

import { internalError, timeout } from "../../../machinery/errors/status-error.js";
import { formatGroupVersion } from "../../../machinery/meta/gvk.js";
import { annotate, type AdmissionAttributes } from "../attributes.js";
import type { AdmissionContext } from "../plugin.js";
import { type ReviewedObjects, reviewedObjects } from "./admission-review.js";
import { CallingWebhookError, callWebhook, inWebhookPart } from "./call-webhook.js";
import { type Invocation, relevantInvocation } from "./invocation.js";
import { measuredWebhook } from "./measured-webhook.js";
import type { Webhook } from "./webhook.js";

/** The key of the annotation about a webhook that failed and was ignored. */
const FAILED_OPEN = "failed-open.validating.webhook.admission.k8s.io/";

/** Calls all validating webhooks that match the request at once, and waits for all of them. Rejects with the denial that came first. */
export async function validateByWebhooks(
  webhooks: readonly Webhook[],
  attributes: AdmissionAttributes,
  context: AdmissionContext,
): Promise<void> {
  const invocations: Invocation[] = [];
  for (const webhook of webhooks) {
    const invocation = await relevantInvocation(webhook, attributes, context);
    if (invocation !== undefined) invocations.push(invocation);
  }
  if (invocations.length === 0) return;
  const objects = new Map<string, ReviewedObjects>();
  for (const { kind } of invocations) {
    const key = versionOf(kind);
    if (!objects.has(key)) objects.set(key, await reviewedObjects(attributes, kind));
  }
  if (attributes.signal.aborted) throw timeout("request did not complete within requested timeout", 0);
  const refusals: unknown[] = [];
  await Promise.all(
    invocations.map(async (invocation, index) => {
      try {
        const shown = objects.get(versionOf(invocation.kind)) ?? (await reviewedObjects(attributes, invocation.kind));
        const { webhook } = invocation;
        const call = () =>
          inWebhookPart("validating", webhook, attributes, () =>
            callWebhook("validating", invocation, attributes, shown, context),
          );
        await measuredWebhook("validating", webhook, attributes, context, call);
      } catch (error) {
        const { name, ignoresFailures } = invocation.webhook;
        if (!(error instanceof CallingWebhookError)) refusals.push(error);
        else if (!ignoresFailures) refusals.push(internalError(error.message));
        else annotate(attributes, `${FAILED_OPEN}round_0_index_${index}`, name);
      }
    }),
  );
  if (refusals.length > 0) throw refusals[0];
}

const versionOf = (kind: Invocation["kind"]): string => `${formatGroupVersion(kind)}/${kind.kind}`;

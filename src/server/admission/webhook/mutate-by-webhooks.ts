import { errorMessage } from "../../../base/text/error-message.js";
import { inSlices } from "../../../base/async/time-slice.js";
import { decodeManagers } from "../../../machinery/apply/managed-fields.js";
import { decodeJsonSteps } from "../../../machinery/wire/json/json-decoder.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import { internalError, isStatusError, timeout } from "../../../machinery/errors/status-error.js";
import type { JsonValue } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { jsonPatchSteps, SERVER_JSON_PATCH_LIMITS } from "../../../machinery/patch/json-patch.js";
import { annotate, type AdmissionAttributes } from "../attributes.js";
import type { AdmissionContext } from "../plugin.js";
import type { ReinvokedCalls } from "../reinvocation.js";
import { replaceObject } from "../replace-object.js";
import { type ReviewResult, reviewedObjects } from "./admission-review.js";
import { step } from "../../../machinery/tracing/request-span.js";
import { CallingWebhookError, callWebhook, inWebhookPart } from "./call-webhook.js";
import { type Invocation, relevantInvocation } from "./invocation.js";
import { measuredWebhook } from "./measured-webhook.js";
import type { Webhook } from "./webhook.js";

/** The keys of the annotations about what a webhook did to the object. */
const MUTATION = "mutation.webhook.admission.k8s.io/";
const PATCH = "patch.webhook.admission.k8s.io/";
const FAILED_OPEN = `failed-open.${MUTATION}`;

/**
 * Calls the mutating webhooks that the request is for, one after the other: each sees what the ones before it made of the object. In
 * the second round only those run that ask to be called again. Rejects with the first refusal.
 */
export async function mutateByWebhooks(
  webhooks: readonly Webhook[],
  attributes: AdmissionAttributes,
  context: AdmissionContext,
  reinvoked: ReinvokedCalls,
): Promise<void> {
  const { reinvocation, object } = attributes;
  const managedFields = object?.metadata?.managedFields;
  reinvoked.beginRound(reinvocation, object);
  for (const [index, webhook] of webhooks.entries()) {
    const invocation = await relevantInvocation(webhook, attributes, context);
    if (invocation === undefined || (reinvocation.active && !reinvoked.has(reinvocation, webhook.id))) continue;
    const at = `round_${reinvocation.active ? 1 : 0}_index_${index}`;
    try {
      const call = () =>
        inWebhookPart("mutating", webhook, attributes, () => callMutating(invocation, attributes, context, at));
      if (await measuredWebhook("admit", webhook, attributes, context, call)) {
        reinvoked.requireEarlier(reinvocation);
        reinvocation.request();
      }
    } catch (error) {
      if (!(error instanceof CallingWebhookError)) throw error;
      if (!webhook.ignoresFailures) throw internalError(error.message);
      annotate(attributes, `${FAILED_OPEN}${at}`, webhook.name);
      if (attributes.signal.aborted) throw timeout("request did not complete within requested timeout", 0);
    } finally {
      if (webhook.mayBeReinvoked) reinvoked.add(reinvocation, webhook.id);
    }
  }
  if (object !== undefined) keepValidManagedFields(attributes, object, managedFields);
  reinvoked.endRound(reinvocation, object);
}

/** Calls one webhook and applies its patch. Answers whether the object is another one now. */
async function callMutating(
  invocation: Invocation,
  attributes: AdmissionAttributes,
  context: AdmissionContext,
  at: string,
): Promise<boolean> {
  const { configuration, name: webhook } = invocation.webhook;
  let mutated = false;
  try {
    const objects = await reviewedObjects(attributes, invocation.kind);
    const result = await callWebhook("mutating", invocation, attributes, objects, context);
    const patch = await patchOf(webhook, result);
    if (patch.length === 0) return false;
    if (attributes.object === undefined || objects.object === undefined) {
      throw internalError(
        `admission webhook "${webhook}" attempted to modify the object, which is not supported for this operation`,
      );
    }
    if (result.patchType !== "JSONPatch") {
      throw new CallingWebhookError(webhook, `unsupported patch type "${result.patchType}"`);
    }
    mutated = await applyTo(attributes, attributes.object, objects.object, patch, invocation);
    step("Patch applied");
    annotate(attributes, `${PATCH}${at}`, encodeJson({ configuration, webhook, patch, patchType: "JSONPatch" }));
    return mutated;
  } finally {
    annotate(attributes, `${MUTATION}${at}`, encodeJson({ configuration, webhook, mutated }));
  }
}

/** The operations of a webhook's patch; none where there is none. */
async function patchOf(webhook: string, { patch }: ReviewResult): Promise<JsonValue[]> {
  if (patch.length === 0) return [];
  const undecodable = (reason: string) =>
    new CallingWebhookError(webhook, `received undecodable patch in webhook response: ${reason}`);
  let value: JsonValue;
  try {
    ({ value } = await inSlices(decodeJsonSteps(patch, { maxDepth: MAX_DEPTH })));
    // Finds what is no list of operations. There is nothing that they could apply to.
    if (!Array.isArray(value)) jsonPatchSteps(null, value).next();
  } catch (error) {
    throw undecodable(errorMessage(error));
  }
  return Array.isArray(value) ? value : [];
}

/** As deep as a request's body may nest. */
const MAX_DEPTH = 1000;

const LIMITS = { ...SERVER_JSON_PATCH_LIMITS, maxOperations: Number.POSITIVE_INFINITY };

/** Changes `draft` as the patch changes its JSON in the version that the webhook saw. */
async function applyTo(
  { versions }: AdmissionAttributes,
  draft: KubeObject,
  json: Uint8Array,
  patch: JsonValue,
  { kind }: Invocation,
): Promise<boolean> {
  try {
    const { value: document } = await inSlices(decodeJsonSteps(json, { maxDepth: Number.POSITIVE_INFINITY }));
    const patched = await inSlices(jsonPatchSteps(document, patch, LIMITS));
    const object = await versions.decode(patched, kind);
    const mutated = Buffer.compare(await versions.encode(object, kind), json) !== 0;
    replaceObject(draft, await versions.restore(object, kind));
    return mutated;
  } catch (error) {
    if (isStatusError(error)) throw error;
    throw internalError(errorMessage(error));
  }
}

/** Restores metadata.managedFields where a webhook left something there that makes no sense, and warns of it. */
function keepValidManagedFields(
  attributes: AdmissionAttributes,
  draft: KubeObject,
  before: NonNullable<KubeObject["metadata"]>["managedFields"],
): void {
  const { metadata } = draft;
  if (metadata === undefined || metadata.managedFields === before) return;
  try {
    decodeManagers(metadata.managedFields, "request");
  } catch (error) {
    if (before === undefined) delete metadata.managedFields;
    else metadata.managedFields = before;
    attributes.addWarning(
      `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${errorMessage(error)}`,
    );
  }
}

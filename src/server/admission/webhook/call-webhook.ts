import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { Status } from "../../../api/types/meta/v1.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { type AnsweredReview, readReview } from "../../webhook/read-review.js";
import { standInErrorOf } from "../../../machinery/wire/streams/stand-in-end.js";
import type { WebhookTarget } from "../../webhook/webhook-target.js";
import type { WebhookClient } from "../../webhook/webhook-client.js";
import { annotate, type AdmissionAttributes } from "../attributes.js";
import type { AdmissionContext } from "../plugin.js";
import {
  encodeReview,
  REVIEW_VERSIONS,
  type ReviewedObjects,
  reviewKind,
  type ReviewResult,
  verifyReview,
} from "./admission-review.js";
import type { Invocation } from "./invocation.js";
import { currentSpan, inPart, step } from "../../../machinery/tracing/request-span.js";
import { badRequest, StatusError } from "../../../machinery/errors/status-error.js";
import { number, object, text } from "../../../machinery/meta/access.js";

/** Thrown when a call brought no decision. The webhook's failurePolicy decides whether the request fails. */
export class CallingWebhookError extends Error {
  override readonly name = "CallingWebhookError";

  constructor(webhook: string, reason: string, cause?: unknown) {
    super(`failed calling webhook ${goQuote(webhook)}: ${reason}`, { cause });
  }
}

/** Runs the call of a webhook, and the handling of its answer, as a part of the request's trace. */
export const inWebhookPart = <T>(
  phase: "mutating" | "validating",
  { configuration, name }: Invocation["webhook"],
  { resource: { group, version, resource }, subresource, operation }: AdmissionAttributes,
  call: () => Promise<T>,
): Promise<T> =>
  inPart(
    `Call ${phase} webhook`,
    () => ({
      configuration,
      webhook: name,
      resource: `${group}/${version}, Resource=${resource}`,
      subresource,
      operation,
    }),
    call,
  );

/**
 * Calls one webhook. Its warnings and audit annotations are added to the request. Rejects with a {@link CallingWebhookError}, or
 * with the StatusError for the client: the webhook denies the request, or has side effects in a dry run.
 */
export async function callWebhook(
  phase: "mutating" | "validating",
  invocation: Invocation,
  attributes: AdmissionAttributes,
  objects: ReviewedObjects,
  { webhooks }: AdmissionContext,
): Promise<ReviewResult> {
  const { webhook } = invocation;
  const { name } = webhook;
  const failed = (what: string, error: unknown) =>
    new CallingWebhookError(name, `${what}: ${errorMessage(error)}`, error);
  if (attributes.dryRun) {
    if (webhook.sideEffects === "") throw new CallingWebhookError(name, "Webhook SideEffects is nil");
    if (!["None", "NoneOnDryRun"].includes(webhook.sideEffects)) throw dryRunUnsupported(name);
  }
  const review = reviewKind(webhook.reviewVersions);
  if (review === undefined) {
    const unknown = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw failed("could not create admission objects", unknown);
  }
  const unasked = (what: string): ReviewResult => {
    attributes.addWarning(`webhook ${goQuote(name)} counts as allowed and was not called: ${what}`);
    return UNASKED;
  };
  let client: WebhookClient;
  let target: WebhookTarget | undefined;
  try {
    target = webhook.target();
    client = webhooks.of(target);
  } catch (error) {
    const standIn = target && (await webhooks.standInOf(target));
    if (standIn !== undefined) return unasked(standIn);
    throw failed("could not get REST client", error);
  }
  const uid = webhooks.reviewUid();
  currentSpan()?.add({ UID: uid });
  const body = encodeReview(review, uid, attributes, invocation, objects);
  const { signal, timeLeft } = attributes;
  const timeout = lesser(webhook.timeout, timeLeft);
  let result: ReviewResult;
  let answered: AnsweredReview;
  const measured = attributes.audit?.measure(`${phase}-webhook`);
  try {
    answered = await readReview(await client.post(body, { timeout, signal }), review, REVIEW_VERSIONS);
    step("Request completed");
  } catch (error) {
    const standIn = standInErrorOf(error);
    if (standIn !== undefined) return unasked(standIn.what);
    throw failed("failed to call webhook", error);
  } finally {
    measured?.();
  }
  try {
    result = verifyReview(answered, review, uid, phase);
  } catch (error) {
    throw failed("received invalid webhook response", error);
  }
  for (const [key, value] of Object.entries(result.auditAnnotations)) {
    annotate(attributes, `${name}/${key}`, String(value));
  }
  for (const warning of result.warnings) attributes.addWarning(warning);
  if (!result.allowed) throw denied(name, result.result);
  return result;
}

/** What the client is answered when a webhook denies its request: the webhook's own Status, as far as it is one of a failure. */
function denied(webhook: string, result: FieldsOf<Status> = {}): StatusError {
  const by = `admission webhook ${goQuote(webhook)} denied the request`;
  const why = text(result.message) || text(result.reason);
  const code = number(result.code);
  const stated = text(result.status);
  const details = result.details;
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: { ...object(result.metadata) },
    status: stated === "" || stated === "Success" ? "Failure" : stated,
    message: why === "" ? `${by} without explanation` : `${by}: ${why}`,
    ...(text(result.reason) !== "" && ({ reason: text(result.reason) } satisfies FieldsOf<Status>)),
    ...(details !== undefined && details !== null && ({ details: object(details) } satisfies Partial<Status>)),
    code: code < LOWEST_CODE ? LOWEST_CODE : code > HIGHEST_CODE ? FAULTY_CODE : code,
  });
}

const LOWEST_CODE = 400;
/** HTTP has none beyond; Go's server panics with one, which its client sees as a 500. */
const HIGHEST_CODE = 999;
const FAULTY_CODE = 500;

/** The answer to a dry run that a webhook would be called for that has side effects. No failure policy ignores it. */
const dryRunUnsupported = (webhook: string): StatusError =>
  badRequest(`admission webhook ${goQuote(webhook)} does not support dry run`);

/** What counts as the answer of a webhook that stands in. */
const UNASKED: ReviewResult = {
  allowed: true,
  patch: new Uint8Array(),
  patchType: "",
  result: undefined,
  warnings: [],
  auditAnnotations: {},
};

function lesser(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

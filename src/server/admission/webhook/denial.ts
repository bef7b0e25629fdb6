import { goQuote } from "../../../base/text/go-quote.js";
import { badRequest, type Status, StatusError } from "../../../machinery/errors/status-error.js";
import { number, object, type ReadonlyFields, text } from "../../../machinery/meta/access.js";

/** What the client is answered when a webhook denies its request: the webhook's own Status, as far as it is one of a failure. */
export function denied(webhook: string, result: ReadonlyFields = {}): StatusError {
  const by = `admission webhook ${goQuote(webhook)} denied the request`;
  const why = text(result["message"]) || text(result["reason"]);
  const code = number(result["code"]);
  const stated = text(result["status"]);
  const details = result["details"];
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: { ...object(result["metadata"]) },
    status: stated === "" || stated === "Success" ? "Failure" : stated,
    message: why === "" ? `${by} without explanation` : `${by}: ${why}`,
    ...(text(result["reason"]) !== "" && { reason: text(result["reason"]) }),
    ...(details !== undefined && details !== null && { details: object(details) as NonNullable<Status["details"]> }),
    code: code < LOWEST_CODE ? LOWEST_CODE : code > HIGHEST_CODE ? FAULTY_CODE : code,
  });
}

const LOWEST_CODE = 400;
/** HTTP has none beyond; Go's server panics with one, which its client sees as a 500. */
const HIGHEST_CODE = 999;
const FAULTY_CODE = 500;

/** The answer to a dry run that a webhook would be called for that has side effects. No failure policy ignores it. */
export const dryRunUnsupported = (webhook: string): StatusError =>
  badRequest(`admission webhook ${goQuote(webhook)} does not support dry run`);

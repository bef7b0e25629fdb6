import { goQuote } from "../../../base/text/go-quote.js";
import {
  conflict,
  expired,
  type GroupResource,
  StatusError,
  timeout,
  unclassified,
} from "../../../machinery/errors/status-error.js";

const CONTINUE_EXPIRED =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
  "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
  "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
  "deleted between the time the first chunk was returned and now may show up in the list.";

/** 410 for a page whose revision is compacted. Its token continues at the current revision. */
export function continueExpired(token: string): StatusError {
  const { status } = expired(CONTINUE_EXPIRED);
  return new StatusError({ ...status, metadata: { ...status.metadata, continue: token } });
}

export const listExpired = (): StatusError => expired("The resourceVersion for the provided list is too old.");

/** 410 from the watch cache, with the oldest revision of its history. */
export const watchExpired = (requested: number, oldest: number): StatusError =>
  expired(`too old resource version: ${requested} (${oldest})`);

/** 410 from the store itself. */
export const storeWatchExpired = (): StatusError => expired("The resourceVersion for the provided watch is too old.");

/**
 * 410 for a revision of another history of the store, from before it was emptied or restored. The client must list again.
 */
export const watchFromElsewhere = (requested: number, current: number): StatusError =>
  expired(`Too large resource version: ${requested}, current: ${current}`);

/** 504: the requested revision was not reached in time. With `retryAfterSeconds` 0 the client decides when to retry. */
export function tooLargeResourceVersion(requested: number, current: number, retryAfterSeconds: number): StatusError {
  return timeout(`Too large resource version: ${requested}, current: ${current}`, retryAfterSeconds, [
    { reason: "ResourceVersionTooLarge", message: "Too large resource version" },
  ]);
}

/** 409: the object does not match the client's preconditions. */
export function preconditionFailed(gr: GroupResource, name: string, key: string, what: string): StatusError {
  return conflict(
    gr,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${what}`,
  );
}

/** kube-apiserver's error for it, with code 500. */
export const resourceVersionOnCreate = (): StatusError =>
  unclassified("resourceVersion should not be set on objects to be created");

/** The error text for a resourceVersion that is no unsigned 64-bit integer. */
export function invalidResourceVersionText(text: string): string {
  return `resourceVersion: Invalid value: ${goQuote(text)}: ${parseUintText(text)}`;
}

export function parseUintText(text: string): string {
  const problem = /^[0-9]+$/.test(text) ? "value out of range" : "invalid syntax";
  return `strconv.ParseUint: parsing ${goQuote(text)}: ${problem}`;
}

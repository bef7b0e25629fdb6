import { goQuote } from "../../../base/go-quote.js";
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

/** 410 for a page whose revision is gone, with a token that goes on at the current one. */
export function continueExpired(token: string): StatusError {
  const { status } = expired(CONTINUE_EXPIRED);
  return new StatusError({ ...status, metadata: { ...status.metadata, continue: token } });
}

export const listExpired = (): StatusError => expired("The resourceVersion for the provided list is too old.");

/** 410 by the watch cache, which knows what it still has. */
export const watchExpired = (requested: number, oldest: number): StatusError =>
  expired(`too old resource version: ${requested} (${oldest})`);

/** 410 by the store itself. */
export const storeWatchExpired = (): StatusError => expired("The resourceVersion for the provided watch is too old.");

/** 410 for a version from another life of the store, before it was emptied or restored: the client must list again. */
export const watchFromElsewhere = (requested: number, current: number): StatusError =>
  expired(`Too large resource version: ${requested}, current: ${current}`);

/** 504: the revision asked for was not reached in time. `retryAfterSeconds` 0 leaves to the client when to come back. */
export function tooLargeResourceVersion(requested: number, current: number, retryAfterSeconds: number): StatusError {
  return timeout(`Too large resource version: ${requested}, current: ${current}`, retryAfterSeconds, [
    { reason: "ResourceVersionTooLarge", message: "Too large resource version" },
  ]);
}

/** 409 for an object that is not the one the client had in mind. */
export function preconditionFailed(gr: GroupResource, name: string, key: string, what: string): StatusError {
  return conflict(
    gr,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${what}`,
  );
}

/** kube-apiserver's 500, which clients know. */
export const resourceVersionOnCreate = (): StatusError =>
  unclassified("resourceVersion should not be set on objects to be created");

/** The text for a resourceVersion that is not an unsigned 64-bit number. */
export function invalidResourceVersionText(text: string): string {
  return `resourceVersion: Invalid value: ${goQuote(text)}: ${parseUintText(text)}`;
}

export function parseUintText(text: string): string {
  const problem = /^[0-9]+$/.test(text) ? "value out of range" : "invalid syntax";
  return `strconv.ParseUint: parsing ${goQuote(text)}: ${problem}`;
}

import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { StatusCause } from "../../../api/types/meta/v1.js";
import type { ListMeta } from "../../../machinery/meta/object.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { goQuote } from "../../../base/text/go-quote.js";
import {
  conflict,
  expired,
  formatGroupResource,
  type GroupResource,
  internalError,
  StatusError,
  timeout,
  unclassified,
} from "../../../machinery/errors/status-error.js";

const ENCRYPTED_PREFIX = "k8s:enc:";

/** 500 for stored bytes that are no object of the key's resource. */
export function undecodable(key: string, bytes: Uint8Array, error: unknown): StatusError {
  const isEncrypted = Buffer.from(bytes.subarray(0, ENCRYPTED_PREFIX.length)).toString("latin1") === ENCRYPTED_PREFIX;
  // The server has no configuration of encryption, or it would have decrypted the value.
  if (isEncrypted) {
    return internalError(`unable to transform key ${goQuote(key)}: identity transformer tried to read encrypted data`);
  }
  return internalError(`unable to decode key ${goQuote(key)}: ${errorMessage(error)}`);
}

/** How many objects that cannot be read an error names. */
const MOST_NAMED = 100;

/** 500 for a list with objects that cannot be read; it names their keys. */
export function listUnreadable(
  resource: GroupResource,
  items: readonly { readonly key: string; readonly problem: string }[],
): StatusError {
  const causes = items.slice(0, MOST_NAMED).map(
    ({ key, problem }) =>
      ({
        reason: "UnexpectedServerResponse",
        field: key,
        message: corruptText(key, problem),
      }) satisfies FieldsOf<StatusCause>,
  );
  const more = items.length > 1 ? ` (and ${Math.min(items.length, MOST_NAMED) - 1} more)` : "";
  const first = causes[0]?.message ?? "";
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `failed to read one or more ${formatGroupResource(resource)} from the storage: ${first}${more}`,
    reason: "StoreReadError",
    details: {
      name: "list",
      ...(resource.group !== "" && { group: resource.group }),
      kind: resource.resource,
      causes: [
        ...causes,
        ...(items.length > MOST_NAMED
          ? [{ reason: "FieldValueTooMany", message: "too many errors, the list is truncated" }]
          : []),
      ],
    },
    code: 500,
  });
}

const corruptText = (key: string, problem: string): string =>
  `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: data from the storage is not transformable revision=0: ${problem}`;

/** 409 for the unsafe deletion of an object that can be read. */
export const isReadable = (resource: GroupResource, name: string, key: string): StatusError =>
  conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: unsafe deletion is not allowed because the object is decodable from storage`,
  );

const CONTINUE_EXPIRED =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
  "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
  "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
  "deleted between the time the first chunk was returned and now may show up in the list.";

/** 410 for a page whose revision is compacted. Its continue token starts at the current revision. */
export function continueExpired(token: string): StatusError {
  const { status } = expired(CONTINUE_EXPIRED);
  return new StatusError({ ...status, metadata: { ...status.metadata, continue: token } satisfies FieldsOf<ListMeta> });
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

/** kube-apiserver's error, with code 500, for an object to be created that has a resourceVersion. */
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

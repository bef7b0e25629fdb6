import { type CancellationToken, throwIfCancelled } from "../../../base/async/cancellation.js";
import type { Steps } from "../../../base/async/steps.js";
import { inSlices } from "../../../base/async/time-slice.js";
import { unsupportedMediaType } from "../../../machinery/errors/status-error.js";
import type { ApiRequest } from "../../request/api-request.js";
import { parseMediaType } from "./media-type.js";
import { MEDIA_TYPES, type MediaTypeName } from "./response-format.js";

/** What kube-apiserver takes at most. */
export const BODY_LIMIT = 3 * 1024 * 1024;

/** A body so long, in bytes, is work that others should not wait for. */
const LONG_BODY = 16 * 1024;

export const isLong = (body: Uint8Array): boolean => body.length > LONG_BODY;

/** An object of which so many bytes are stored is long work for every request that changes it, however short the body. */
const LARGE_OBJECT = 64 * 1024;

export const isLarge = (stored: Uint8Array): boolean => stored.length > LARGE_OBJECT;

/**
 * Does the work that a body asks for: in slices of the event loop where the body is long or the work has to wait. `token` is the
 * request's.
 */
export function runSteps<T>(body: Uint8Array, steps: Steps<T>, token: CancellationToken): T | Promise<T> {
  return runWork(isLong(body), steps, token);
}

/** Does work in slices of the event loop where it is long or has to wait. `token` is the request's. */
export function runWork<T>(isLongWork: boolean, steps: Steps<T>, token: CancellationToken): T | Promise<T> {
  return isLongWork ? inSlices(steps, token) : untilItWaits(steps, token);
}

/** As {@link runSteps}, for work that has a plain form: a short body makes no generators. */
export function byLength<T>(
  body: Uint8Array,
  atOnce: () => T,
  inSteps: () => Steps<T>,
  token: CancellationToken | undefined,
): T | Promise<T> {
  return isLong(body) ? inSlices(inSteps(), token) : atOnce();
}

function untilItWaits<T>(steps: Steps<T>, token: CancellationToken): T | Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value !== undefined) return step.value.then(() => inSlices(steps, token));
  }
}

/** A body that is not decoded yet. */
export interface RequestBody {
  readonly bytes: Uint8Array;
  readonly mediaType: MediaTypeName;
  /** Of the request that it came with. */
  readonly token?: CancellationToken | undefined;
}

/** Reads a body; it is JSON when no content type is given. Throws 413 or 415. An empty one may have any type. */
export async function readObjectBody(request: ApiRequest): Promise<RequestBody> {
  const { exchange } = request;
  const { type } = parseMediaType(exchange.headers["content-type"] ?? "");
  const bytes = await exchange.body(BODY_LIMIT);
  throwIfCancelled(request);
  const mediaType = MEDIA_TYPES.find((one) => one === type);
  if (mediaType !== undefined) return { bytes, mediaType, token: request };
  if (type === "" || bytes.length === 0) return { bytes, mediaType: "application/json", token: request };
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${MEDIA_TYPES.join(", ")}`,
  );
}

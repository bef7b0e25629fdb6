import { type CancellationToken, throwIfCancelled } from "../../../base/async/cancellation.js";
import type { Steps } from "../../../base/async/steps.js";
import { inSlices } from "../../../base/async/time-slice.js";
import { unsupportedMediaType } from "../../../machinery/errors/status-error.js";
import { errorMessage } from "../../../base/text/error-message.js";
import type { ApiRequest } from "../../request/api-request.js";
import { step } from "../../../machinery/tracing/request-span.js";
import { parseMediaType } from "./media-type.js";
import { MEDIA_TYPES, type MediaTypeName } from "./response-format.js";

/** kube-apiserver's limit for the size of a request body, in bytes. */
export const BODY_LIMIT = 3 * 1024 * 1024;

/** A body so long, in bytes, is work that others should not wait for. */
const LONG_BODY = 16 * 1024;

export const isLong = (body: Uint8Array): boolean => body.length > LONG_BODY;

/** An object of which so many bytes are stored is long work for every request that changes it, however short the body. */
const LARGE_OBJECT = 64 * 1024;

export const isLarge = (stored: Uint8Array): boolean => stored.length > LARGE_OBJECT;

/** Does the work on a body: in slices of the event loop when the body is long or the work has to wait. `token` is the request's. */
export function runSteps<T>(body: Uint8Array, steps: Steps<T>, token: CancellationToken): T | Promise<T> {
  return runWork(isLong(body), steps, token);
}

/** Runs work in slices of the event loop if it is long or must wait. `token` is the request's. */
export function runWork<T>(isLongWork: boolean, steps: Steps<T>, token: CancellationToken): T | Promise<T> {
  return isLongWork ? inSlices(steps, token) : untilItWaits(steps, token);
}

/** As {@link runSteps}, for work that also exists as a plain function, which is used for short bodies because it is faster. */
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
  /** The token of its request. */
  readonly token?: CancellationToken | undefined;
}

/** Reads the bytes of a body. Throws 413. */
export async function readBytes({ exchange }: ApiRequest): Promise<Uint8Array> {
  try {
    const bytes = await exchange.body(BODY_LIMIT);
    step("limitedReadBody succeeded", { len: bytes.length });
    return bytes;
  } catch (error) {
    step("limitedReadBody failed", { len: 0, err: errorMessage(error) });
    throw error;
  }
}

/** Reads a body, as JSON when it has no content type. Throws 413 or 415. An empty body may have any type. */
export async function readObjectBody(request: ApiRequest): Promise<RequestBody> {
  const { exchange } = request;
  const { type } = parseMediaType(exchange.headers["content-type"] ?? "");
  const bytes = await readBytes(request);
  throwIfCancelled(request);
  const mediaType = MEDIA_TYPES.find((one) => one === type);
  if (mediaType !== undefined) return { bytes, mediaType, token: request };
  if (type === "" || bytes.length === 0) return { bytes, mediaType: "application/json", token: request };
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${MEDIA_TYPES.join(", ")}`,
  );
}

import type { Status } from "../../../machinery/errors/status-error.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import type { ApiRequest } from "../../request/api-request.js";
import { respondBytes } from "../../request/respond.js";
import type { StoredObject } from "../../storage/store.js";
import { negotiated, PLAIN, type ResponseFormat } from "../negotiation/response-format.js";
import { respondBody } from "../representation/body-writer.js";
import { serializerOf } from "../serializers/index.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import type { ServedResource } from "../served-resource.js";
import { includeObject } from "./scope.js";

/** Answers one object in the shape that was asked for. */
export function respondObject(
  request: ApiRequest,
  resource: ServedResource,
  format: ResponseFormat,
  status: number,
  stored: StoredObject,
): Promise<void> {
  const include = includeObject(request.exchange.query, format);
  const answer = () =>
    respond(request, format, status, serializerOf(format.mediaType).object({ resource, format, include }, stored));
  const conversion = resource.codec.prepare([stored], request);
  return conversion === undefined ? answer() : conversion.then(answer);
}

/** Answers an object that is not stored. The schema may be left out; see {@link Serializer.value}. */
export function respondValue(
  request: ApiRequest,
  format: ResponseFormat,
  status: number,
  value: object,
  schema?: StructSchema,
): Promise<void> {
  return respond(request, format, status, serializerOf(format.mediaType).value(value, format, schema));
}

function respond(
  request: ApiRequest,
  { mediaType }: ResponseFormat,
  status: number,
  body: Uint8Array | Promise<Uint8Array>,
): Promise<void> {
  const headers = { "content-type": mediaType };
  if (body instanceof Promise) return body.then((bytes) => respondBody(request, status, headers, bytes));
  return respondBody(request, status, headers, body);
}

/**
 * Answers a Status that ends a request, in the media type that the client prefers. A client that takes none of them gets
 * JSON all the same: the failure is not hidden behind another.
 */
export async function respondStatus(request: ApiRequest, status: Status): Promise<void> {
  const format = negotiated(request.exchange, PLAIN);
  const { mediaType = "application/json" } = format ?? {};
  const body =
    format === undefined
      ? Buffer.from(encodeJson(status, { indent: 2 }))
      : await serializerOf(mediaType).value(status, format);
  const retryAfter = status.details?.retryAfterSeconds;
  await respondBytes(
    request,
    status.code,
    { "content-type": mediaType, ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }) },
    body,
  );
}

import type { Status } from "../../../machinery/errors/status-error.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import type { ApiRequest } from "../../request/api-request.js";
import { inPart, type SpanFields } from "../../../machinery/tracing/request-span.js";
import { respondBytes } from "../../request/respond.js";
import type { StoredObject } from "../../storage/store.js";
import { negotiated, PLAIN, type ResponseFormat } from "../negotiation/response-format.js";
import { respondBody } from "../representation/body-writer.js";
import { encoderName } from "../serializers/encoder-name.js";
import { serializerOf } from "../serializers/index.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import type { ServedResource } from "../served-resource.js";
import { includeObject } from "./scope.js";

/** Sends one object in the requested shape. */
export function respondObject(
  request: ApiRequest,
  resource: ServedResource,
  format: ResponseFormat,
  status: number,
  stored: StoredObject,
): Promise<void> {
  const include = includeObject(request.exchange.query, format);
  const encode = (format: ResponseFormat) =>
    serializerOf(format.mediaType).object({ resource, format, include }, stored);
  const answer = () => respond(request, format, status, encode);
  const conversion = resource.codec.prepare([stored], request);
  return conversion === undefined ? answer() : conversion.then(answer);
}

/** Sends an object that is not stored. The schema may be left out; see {@link Serializer.value}. */
export function respondValue(
  request: ApiRequest,
  format: ResponseFormat,
  status: number,
  value: object,
  schema?: StructSchema,
): Promise<void> {
  if (request.audit !== undefined && isStatus(value)) request.audit.status(value);
  const encode: Encode = ({ mediaType, pretty }) => serializerOf(mediaType).value(value, { pretty }, schema);
  return respond(request, format, status, encode, groupVersionOf(value));
}

/** What a value is encoded in; undefined for a Status, which kube-apiserver encodes in the version of the request. */
const groupVersionOf = (value: object): string | undefined =>
  "apiVersion" in value && typeof value.apiVersion === "string" && !isStatus(value) ? value.apiVersion : undefined;

const isStatus = (value: object): value is Status => "kind" in value && value.kind === "Status";

type Encode = (format: ResponseFormat) => Uint8Array | Promise<Uint8Array>;

/** Milliseconds from which on kube-apiserver logs that an answer was slow to encode and to write. */
export const SLOW_ANSWER = 5000;

/** Encodes and sends an answer as a part of its request's trace. */
export const serializing = (
  request: ApiRequest,
  format: ResponseFormat,
  send: () => Promise<void>,
  groupVersion?: string,
): Promise<void> =>
  inPart(
    "SerializeObject",
    ({ auditId }) => ({
      ...answerFields(auditId, request, format.mediaType),
      encoder: encoderName(format, request, { groupVersion }),
    }),
    send,
    { threshold: SLOW_ANSWER },
  );

/** What the part of a trace that writes an answer says of it. */
export const answerFields = (auditId: string, { exchange }: ApiRequest, mediaType: string): SpanFields => ({
  "audit-id": auditId,
  method: exchange.method,
  url: exchange.path,
  protocol: exchange.protocol ?? "",
  mediaType,
});

function respond(
  request: ApiRequest,
  format: ResponseFormat,
  status: number,
  encode: Encode,
  groupVersion?: string,
): Promise<void> {
  return serializing(request, format, () => send(request, format, status, encode), groupVersion);
}

function send(request: ApiRequest, format: ResponseFormat, status: number, encode: Encode): Promise<void> {
  const headers = { "content-type": format.mediaType };
  const body = encode(format);
  if (request.audit?.keepsAnswer === true) return respondRecorded(request, format, status, { encode, body });
  if (body instanceof Promise) return body.then((bytes) => respondBody(request, status, headers, bytes));
  return respondBody(request, status, headers, body);
}

/** Sends an answer whose JSON the audit record has; only an answer in another media type is encoded once more for it. */
async function respondRecorded(
  request: ApiRequest,
  format: ResponseFormat,
  status: number,
  { encode, body }: { readonly encode: Encode; readonly body: ReturnType<Encode> },
): Promise<void> {
  const bytes = await body;
  request.audit?.answered(format.mediaType === JSON_TYPE ? bytes : await encode(asPlainJson(format)));
  await respondBody(request, status, { "content-type": format.mediaType }, bytes);
}

const JSON_TYPE = "application/json";

/** A format's shape in JSON. */
export const asPlainJson = (format: ResponseFormat): ResponseFormat => ({
  ...format,
  mediaType: JSON_TYPE,
  pretty: false,
});

/**
 * Sends a Status that ends a request, in the media type that the client prefers. A client that accepts none of the types gets
 * JSON, so that a 406 does not hide the error.
 */
export async function respondStatus(request: ApiRequest, status: Status): Promise<void> {
  const format = negotiated(request.exchange, PLAIN);
  const answer = () => sendStatus(request, format, status);
  return format === undefined ? answer() : serializing(request, format, answer);
}

async function sendStatus(request: ApiRequest, format: ResponseFormat | undefined, status: Status): Promise<void> {
  const { mediaType = "application/json" } = format ?? {};
  const body =
    format === undefined
      ? Buffer.from(encodeJson(status, { indent: 2 }))
      : await serializerOf(mediaType).value(status, format);
  const { audit } = request;
  audit?.status(status);
  if (audit?.keepsAnswer === true) audit.answered(Buffer.from(encodeJson(status)));
  const retryAfter = status.details?.retryAfterSeconds;
  await respondBytes(
    request,
    status.code,
    { "content-type": mediaType, ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }) },
    body,
  );
}

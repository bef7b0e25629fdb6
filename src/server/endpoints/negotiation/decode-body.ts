import type { TypedObject } from "../../../machinery/wire/decode-typed.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { formatGroupVersion, type GroupVersionKind } from "../../../machinery/meta/gvk.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import { serializerOf } from "../serializers/index.js";
import type { RequestBody } from "./request-body.js";
import { unknownConversion } from "./unknown-conversion.js";

export interface DecodeBodyOptions {
  /** The kind the endpoint takes; fills in a kind and version that the body leaves out. */
  readonly expected: GroupVersionKind;
  readonly mode: "Ignore" | "Warn" | "Strict";
  /** The schemas of what is served: those of the resource's codec. Undefined for a kind that is not known. */
  readonly schemaOf: (gvk: GroupVersionKind) => StructSchema | undefined;
  /** Versions ("policy/v1beta1") of the expected kind that the endpoint takes. Left out: the expected one. */
  readonly accepts?: (apiVersion: string) => boolean;
}

/** What a serializer needs of {@link DecodeBodyOptions}, and the token of the request. */
export type DecodeOptions = Pick<DecodeBodyOptions, "expected" | "mode" | "schemaOf"> & Pick<RequestBody, "token">;

/** A body of any media type as an object of the expected kind. Throws 400. */
export async function decodeBody(body: RequestBody, how: DecodeBodyOptions): Promise<TypedObject> {
  const { expected } = how;
  const wanted = formatGroupVersion(expected);
  const { accepts = (apiVersion) => apiVersion === wanted } = how;
  const decoded = await serializerOf(body.mediaType).decode(body.bytes, { ...how, token: body.token });
  const { kind } = decoded;
  if (kind.kind !== expected.kind) {
    throw badRequest(
      `${kind.kind} in version "${kind.version}" cannot be handled as a ${expected.kind}: ${unknownConversion(kind, expected)}`,
    );
  }
  const given = formatGroupVersion(kind);
  if (!accepts(given)) {
    throw badRequest(`the API version in the data (${given}) does not match the expected API version (${wanted})`);
  }
  return decoded;
}

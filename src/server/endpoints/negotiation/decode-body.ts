import type { TypedObject } from "../../../machinery/wire/decode-typed.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { formatGroupVersion, type GroupVersionKind } from "../../../machinery/meta/gvk.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import { serializerOf } from "../serializers/index.js";
import type { RequestBody } from "./request-body.js";
import { unknownConversion } from "./patched-kind.js";

export interface DecodeBodyOptions {
  /** The kind that the endpoint accepts, and that a body without kind and version counts as. */
  readonly expected: GroupVersionKind;
  readonly mode: "Ignore" | "Warn" | "Strict";
  /** Returns the schema of a served kind, as the resource's codec has it. Undefined for an unknown kind. */
  readonly schemaOf: (gvk: GroupVersionKind) => StructSchema | undefined;
  /** Versions ("policy/v1beta1") of the expected kind that the endpoint takes. Left out: the expected one. */
  readonly accepts?: (apiVersion: string) => boolean;
}

/** The part of {@link DecodeBodyOptions} that a serializer needs, and the token of the request. */
export type DecodeOptions = Pick<DecodeBodyOptions, "expected" | "mode" | "schemaOf"> & Pick<RequestBody, "token">;

/** Decodes a body of any media type as an object of the expected kind. Throws 400. */
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

import type { Steps } from "../../../base/steps.js";
import { schemaFor, structOf } from "../../../api/facts/index.js";
import {
  decodeTypedSteps,
  decodeTypedValueSteps,
  type TypedObject,
  unrecognized,
} from "../../../machinery/codec/decode-typed.js";
import { JsonDecodeError } from "../../../machinery/codec/json-decoder.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { formatGroupVersion, type GroupVersionKind, parseGroupVersion } from "../../../machinery/meta/gvk.js";
import type { JsonValue } from "../../../machinery/meta/json.js";
import { type RequestBody, runSteps } from "./request-body.js";
import { unknownConversion } from "./unknown-conversion.js";

export interface DecodeBodyOptions {
  /** The kind the endpoint takes; fills in a kind and version that the body leaves out. */
  readonly expected: GroupVersionKind;
  readonly mode: "Ignore" | "Warn" | "Strict";
  /** Left out: the schemas of what is served. */
  readonly schemaOf?: typeof schemaFor;
  /** Versions ("policy/v1beta1") of the expected kind that the endpoint takes. Left out: the expected one. */
  readonly accepts?: (apiVersion: string) => boolean;
}

/** A body of any media type as an object of the expected kind. Throws 400. */
export async function decodeBody(body: RequestBody, how: DecodeBodyOptions): Promise<TypedObject> {
  const { expected } = how;
  const wanted = formatGroupVersion(expected);
  const { accepts = (apiVersion) => apiVersion === wanted } = how;
  const decoded = await runSteps(body.bytes, await decode(body, how));
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

async function decode(body: RequestBody, how: DecodeBodyOptions): Promise<Steps<TypedObject>> {
  const { expected, mode, schemaOf = schemaFor } = how;
  const options = { expected, schemaOf, mode };
  switch (body.mediaType) {
    case "application/json":
      return decodeTypedSteps(body.bytes, options);
    case "application/yaml": {
      const { readYamlBody } = await import("./yaml-body.js");
      const { value, repeated } = readYamlBody(body.bytes);
      return decodeTypedValueSteps(value, undefined, { ...options, repeatedInYaml: repeated }, body.bytes);
    }
    case "application/vnd.kubernetes.protobuf":
      return decodeTypedValueSteps(await protobufValue(body.bytes, expected), undefined, options, body.bytes);
  }
}

/** The JSON value a protobuf document means. A kind nobody knows is left without its content: naming it is enough. */
async function protobufValue(bytes: Uint8Array, expected: GroupVersionKind): Promise<JsonValue> {
  const { decodeProtobufMessage, openEnvelope, ProtobufError } = await import("./protobuf-body.js");
  try {
    const { apiVersion, kind, raw } = openEnvelope(bytes);
    // Refused where it is compared with what was expected, as in every other body.
    if (apiVersion.split("/").length > 2) return { kind, apiVersion };
    const gvk = {
      ...(apiVersion === "" ? expected : parseGroupVersion(apiVersion)),
      kind: kind === "" ? expected.kind : kind,
    };
    const schema = schemaFor(gvk);
    return { kind, apiVersion, ...(schema && decodeProtobufMessage(raw, schema, structOf)) };
  } catch (error) {
    // Free-form values are JSON within.
    if (!(error instanceof ProtobufError || error instanceof JsonDecodeError)) throw error;
    throw unrecognized(expected, error.message, bytes);
  }
}

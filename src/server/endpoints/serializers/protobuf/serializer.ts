import { decodeTypedValue, decodeTypedValueSteps, unrecognized } from "../../../../machinery/wire/decode-typed.js";
import { JsonDecodeError } from "../../../../machinery/wire/json/json-decoder.js";
import { decodeProtobufMessage } from "../../../../machinery/wire/protobuf/decode-protobuf.js";
import { encodeProtobufDocument } from "../../../../machinery/wire/protobuf/encode-protobuf.js";
import { openEnvelope, sealEnvelope } from "../../../../machinery/wire/protobuf/envelope.js";
import { ProtobufError } from "../../../../machinery/wire/protobuf/wire-reader.js";
import { decodeObject } from "../../../../machinery/wire/strict-decode.js";
import { kindStatedBy } from "../../../../machinery/scheme/scheme.js";
import { type GroupVersionKind, parseGroupVersion } from "../../../../machinery/meta/gvk.js";
import type { JsonValue } from "../../../../machinery/meta/json.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import type { DecodeOptions } from "../../negotiation/decode-body.js";
import { byLength } from "../../negotiation/request-body.js";
import { metaSchema, protobufTypes } from "../../meta-kinds.js";
import type { Serializer, View } from "../serializer.js";
import { ProtobufFrames, watchEvents } from "./frames.js";
import { listDocument } from "./list-document.js";
import { messagesOf } from "./stored-message.js";

/** Protobuf as generated.proto describes the built-in types: each document is a runtime.Unknown that names its kind. */
export const protobufSerializer: Serializer = {
  mediaType: "application/vnd.kubernetes.protobuf",

  object(view, stored) {
    const messages = messagesOf(view);
    return sealEnvelope(messages.kind, messages.of(stored));
  },

  value(value, _, known) {
    const { apiVersion = "", kind = "" } = value as KubeObject;
    const gvk = { ...parseGroupVersion(apiVersion), kind };
    // Discovery's first document says no version.
    const schema = known ?? metaSchema({ ...gvk, version: gvk.version || "v1" });
    return encodeProtobufDocument(value, gvk, schema, protobufTypes);
  },

  list: (view, list, token) => listDocument(messagesOf(view), list, token),

  stream: {
    contentType: "application/vnd.kubernetes.protobuf;stream=watch",
    open: (view: View) => new ProtobufFrames(view),
    messages: watchEvents,
    messageType: "binary",
  },

  storage: {
    isComplete: false,
    encode: (object, schema) => encodeProtobufDocument(object, kindStatedBy(object), schema, protobufTypes),
    // Writing protobuf takes a fraction of the time that reading the body took.
    *encodeSteps(object, schema) {
      yield;
      return encodeProtobufDocument(object, kindStatedBy(object), schema, protobufTypes);
    },
    decode(bytes, schemaOf) {
      const { apiVersion, kind, raw } = openEnvelope(bytes);
      const schema = schemaOf(kindStatedBy({ apiVersion, kind }));
      const value = { kind, apiVersion, ...decodeProtobufMessage(raw, schema, protobufTypes) };
      // Leaves out the zero values that protobuf has and JSON has not.
      return decodeObject<KubeObject>(value, schema, { mode: "Ignore" }).object;
    },
  },

  decode(body, { expected, mode, schemaOf, token }) {
    const options = { expected, schemaOf, mode };
    const value = valueOf(body, expected, schemaOf);
    return byLength(
      body,
      () => decodeTypedValue(value, undefined, options, body),
      () => decodeTypedValueSteps(value, undefined, options, body),
      token,
    );
  },
};

/** The JSON value a protobuf document means. A kind without a schema is left without its content: naming it is enough. */
function valueOf(bytes: Uint8Array, expected: GroupVersionKind, schemaOf: DecodeOptions["schemaOf"]): JsonValue {
  try {
    const { apiVersion, kind, raw } = openEnvelope(bytes);
    // Refused where it is compared with what was expected, as in every other body.
    if (apiVersion.split("/").length > 2) return { kind, apiVersion };
    const gvk = {
      ...(apiVersion === "" ? expected : parseGroupVersion(apiVersion)),
      kind: kind === "" ? expected.kind : kind,
    };
    const schema = schemaOf(gvk);
    return { kind, apiVersion, ...(schema && decodeProtobufMessage(raw, schema, protobufTypes)) };
  } catch (error) {
    // Free-form values are JSON within.
    if (!(error instanceof ProtobufError || error instanceof JsonDecodeError)) throw error;
    throw unrecognized(expected, error.message, bytes);
  }
}

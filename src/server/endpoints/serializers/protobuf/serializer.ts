import type { FieldsOf } from "../../../../machinery/meta/received.js";
import { decodeTypedValue, decodeTypedValueSteps, unrecognized } from "../../../../machinery/wire/decode-typed.js";
import { JsonDecodeError } from "../../../../machinery/wire/json/json-decoder.js";
import { decodeProtobufMessage } from "../../../../machinery/wire/protobuf/decode-protobuf.js";
import { encodeProtobufDocument, encodeProtobufMessage } from "../../../../machinery/wire/protobuf/encode-protobuf.js";
import { openEnvelope, sealEnvelope, envelopeOf } from "../../../../machinery/wire/protobuf/envelope.js";
import { ProtobufError } from "../../../../machinery/wire/protobuf/wire-reader.js";
import { decodeObject } from "../../../../machinery/wire/strict-decode.js";
import { kindStatedBy } from "../../../../machinery/scheme/scheme.js";
import { type GroupVersionKind, parseGroupVersion } from "../../../../machinery/meta/gvk.js";
import type { JsonValue } from "../../../../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../../../../machinery/meta/object.js";
import type { DecodeOptions } from "../../negotiation/decode-body.js";
import { byLength } from "../../negotiation/request-body.js";
import { metaSchema, protobufTypes, listMetaSchema } from "../../meta-kinds.js";
import { type Serializer, type View, listMetadata } from "../serializer.js";
import { ProtobufFrames, watchEvents } from "./frames.js";
import { messagesOf, type Messages } from "./stored-message.js";
import type { CancellationToken } from "../../../../base/async/cancellation.js";
import { nextSlice, sliceIsSpent } from "../../../../base/async/time-slice.js";
import { WireWriter } from "../../../../machinery/wire/protobuf/wire-writer.js";
import type { ListOfObjects, StoredObject } from "../../../storage/store.js";

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
      const schema = schemaOf(kindStatedBy({ apiVersion, kind } satisfies FieldsOf<ApiObject>));
      const value = {
        kind,
        apiVersion,
        ...decodeProtobufMessage(raw, schema, protobufTypes),
      } satisfies FieldsOf<ApiObject>;
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
    if (apiVersion.split("/").length > 2) return { kind, apiVersion } satisfies FieldsOf<ApiObject>;
    const gvk = {
      ...(apiVersion === "" ? expected : parseGroupVersion(apiVersion)),
      kind: kind === "" ? expected.kind : kind,
    };
    const schema = schemaOf(gvk);
    return {
      kind,
      apiVersion,
      ...(schema && decodeProtobufMessage(raw, schema, protobufTypes)),
    } satisfies FieldsOf<ApiObject>;
  } catch (error) {
    // Free-form values are JSON within.
    if (!(error instanceof ProtobufError || error instanceof JsonDecodeError)) throw error;
    throw unrecognized(expected, error.message, bytes);
  }
}

/** Messages of a list that are kept from when they are measured to when they are written. The others are made twice. */
const KEPT_BYTES = 32 * 1024 * 1024;
/** What a chunk has room for; one that a larger object needs is as large as that. */
const CHUNK_BYTES = 160 * 1024;
/** A chunk that is this full is handed on. */
const FULL_BYTES = 128 * 1024;

const METADATA = 1;
const ITEMS = 2;
const ITEMS_TAG = (ITEMS << 3) | 2;

/**
 * Encodes a list in chunks. A protobuf message begins with its length, so every item is encoded and measured first, in slices of the event
 * loop.
 */
async function listDocument(
  messages: Messages,
  list: ListOfObjects,
  token?: CancellationToken,
): Promise<Iterable<Uint8Array>> {
  const metadata = new WireWriter().bytes(METADATA, listMeta(list)).finish();
  const kept: (Uint8Array | undefined)[] = [];
  let keptBytes = 0;
  let length = metadata.length;
  for (const item of list.items) {
    const message = messages.of(item);
    length += 1 + varintLength(message.length) + message.length;
    if (keptBytes < KEPT_BYTES) {
      kept.push(message);
      keptBytes += message.length;
    }
    if (sliceIsSpent()) await nextSlice(token);
  }
  const { head, tail } = envelopeOf(messages.listKind, length);
  return chunks(Buffer.concat([head, metadata]), membersOf(messages, list.items, kept), tail);
}

function* membersOf(
  messages: Messages,
  items: readonly StoredObject[],
  kept: readonly (Uint8Array | undefined)[],
): Generator<Uint8Array> {
  for (const [index, item] of items.entries()) yield kept[index] ?? messages.of(item);
}

function* chunks(head: Uint8Array, members: Iterable<Uint8Array>, tail: Uint8Array): Generator<Uint8Array> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let used = head.length;
  chunk.set(head);
  for (const member of members) {
    const needed = 1 + MOST_VARINT_BYTES + member.length;
    if (used > FULL_BYTES || used + needed > chunk.length) {
      yield chunk.subarray(0, used);
      chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, needed));
      used = 0;
    }
    chunk[used++] = ITEMS_TAG;
    let rest = member.length;
    for (; rest >= 0x80; rest >>>= 7) chunk[used++] = (rest & 0x7f) | 0x80;
    chunk[used++] = rest;
    chunk.set(member, used);
    used += member.length;
  }
  yield chunk.subarray(0, used);
  yield tail;
}

/** Of a length, which has 32 bits. */
const MOST_VARINT_BYTES = 5;

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest >>>= 7) length++;
  return length;
}

const listMeta = (list: ListOfObjects): Uint8Array =>
  encodeProtobufMessage(listMetadata(list), listMetaSchema(), protobufTypes);

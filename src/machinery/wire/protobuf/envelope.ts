import { formatGroupVersion, type GroupVersionKind } from "../../meta/gvk.js";
import { bytesOf, ProtobufError, readFields, textOf } from "./wire-reader.js";
import { WireWriter } from "./wire-writer.js";

/** runtime.Unknown: the kind of a protobuf body, and its message. */
export interface ProtobufEnvelope {
  /** "" when the sender left it out. */
  readonly apiVersion: string;
  readonly kind: string;
  /** A view of the document. */
  readonly raw: Uint8Array;
}

/** Every Kubernetes protobuf document begins with these: "k8s" and a zero. */
const MAGIC = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** Whether bytes begin as a Kubernetes protobuf document does. */
export const isProtobufDocument = (bytes: Uint8Array): boolean => MAGIC.every((byte, index) => bytes[index] === byte);

/** Opens the envelope of a document. Throws a {@link ProtobufError} for bytes that do not begin as a Kubernetes document, or end too early. */
export function openEnvelope(document: Uint8Array): ProtobufEnvelope {
  if (document.length === 0) throw new ProtobufError("empty data");
  if (!isProtobufDocument(document)) {
    throw new ProtobufError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  if (document.length === MAGIC.length) throw new ProtobufError("empty body");
  let apiVersion = "";
  let kind = "";
  let raw: Uint8Array = new Uint8Array();
  for (const { number, value } of readFields(document.subarray(MAGIC.length))) {
    if (number === 1) {
      for (const type of readFields(bytesOf(value))) {
        if (type.number === 1) apiVersion = textOf(type.value);
        if (type.number === 2) kind = textOf(type.value);
      }
    }
    if (number === 2) raw = bytesOf(value);
  }
  return { apiVersion, kind, raw };
}

/** Wraps a message of `kind` in Kubernetes' envelope of protobuf documents. */
export function sealEnvelope(kind: GroupVersionKind, raw: Uint8Array): Uint8Array {
  const { head, tail } = envelopeOf(kind, raw.length);
  const document = new Uint8Array(head.length + raw.length + tail.length);
  document.set(head);
  document.set(raw, head.length);
  document.set(tail, head.length + raw.length);
  return document;
}

/** The bytes before and after a message of `kind` that is `length` bytes long. */
export function envelopeOf(
  kind: GroupVersionKind,
  length: number,
): { readonly head: Uint8Array; readonly tail: Uint8Array } {
  const type = typeOf(kind);
  const size = varint(length);
  const head = new Uint8Array(type.length + 1 + size.length);
  head.set(type);
  head[type.length] = (2 << 3) | 2;
  head.set(size, type.length + 1);
  return { head, tail: NO_CONTENT_TYPE };
}

/** contentEncoding and contentType, both empty. */
const NO_CONTENT_TYPE = new WireWriter().text(3, "").text(4, "").finish();

const types = new Map<string, Uint8Array>();

/** The magic bytes and the TypeMeta of a kind. */
function typeOf(kind: GroupVersionKind): Uint8Array {
  const apiVersion = formatGroupVersion(kind);
  const key = `${apiVersion}/${kind.kind}`;
  let bytes = types.get(key);
  if (bytes === undefined) {
    const type = new WireWriter().message(1, new WireWriter().text(1, apiVersion).text(2, kind.kind)).finish();
    bytes = new Uint8Array(MAGIC.length + type.length);
    bytes.set(MAGIC);
    bytes.set(type, MAGIC.length);
    if (types.size < REMEMBERED) types.set(key, bytes);
  }
  return bytes;
}

/** More kinds than there are. */
const REMEMBERED = 2000;

/** Encodes a number from 0 to 2^53 as a varint. */
export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

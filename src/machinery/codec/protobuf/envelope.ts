import { bytesOf, ProtobufError, readFields, textOf } from "./wire-reader.js";

/** runtime.Unknown: what a protobuf body says it is, and its message. */
export interface ProtobufEnvelope {
  /** "" when the sender left it out. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** Every Kubernetes protobuf document begins with these. */
const MAGIC = [0x6b, 0x38, 0x73, 0x00];

/** Throws a {@link ProtobufError} for what does not begin as a Kubernetes document, or ends there. */
export function openEnvelope(document: Uint8Array): ProtobufEnvelope {
  if (document.length === 0) throw new ProtobufError("empty data");
  if (MAGIC.some((byte, index) => document[index] !== byte)) {
    throw new ProtobufError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  if (document.length === MAGIC.length) throw new ProtobufError("empty body");
  let apiVersion = "";
  let kind = "";
  let raw = new Uint8Array();
  for (const { number, value } of readFields(document.subarray(MAGIC.length))) {
    if (number === 1) {
      for (const type of readFields(bytesOf(value))) {
        if (type.number === 1) apiVersion = textOf(type.value);
        if (type.number === 2) kind = textOf(type.value);
      }
    }
    if (number === 2) raw = new Uint8Array(bytesOf(value));
  }
  return { apiVersion, kind, raw };
}

import { compareKeys } from "../../../base/key-order.js";
import { formatGroupVersion, type GroupVersionKind } from "../../meta/gvk.js";
import type { Field, ScalarSchema, Schema, StructSchema } from "../../schema/schema.js";
import { scalarZero } from "../../schema/zero-values.js";
import { encodeJson } from "../json-encoder.js";
import { ownValue } from "../own-keys.js";
import { type Numbers, numbered } from "./field-numbers.js";
import { writeIntOrString, writeTime } from "./scalar-messages.js";
import { WireWriter } from "./wire-writer.js";

/** Every Kubernetes protobuf document begins with these: "k8s" and a zero. */
const MAGIC = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/**
 * An object as Go's generated marshallers write it, in the envelope that says what it is: fields by their numbers, zero
 * values of what is not a pointer, a list or a map written, map keys sorted. The values must fit the schema.
 */
export function encodeProtobufDocument(object: object, kind: GroupVersionKind, schema: StructSchema): Uint8Array {
  const type = new WireWriter().text(1, formatGroupVersion(kind)).text(2, kind.kind);
  const envelope = new WireWriter()
    .message(1, type)
    .message(2, writeStruct(object, numbered(schema)))
    .text(3, "")
    .text(4, "");
  return new Uint8Array([...MAGIC, ...envelope.finish()]);
}

function writeStruct(value: unknown, { fields, inlined }: Numbers): WireWriter {
  const object = typeof value === "object" && value !== null ? value : {};
  const writer = new WireWriter();
  for (const number of [...fields.keys(), ...inlined.keys()].sort((a, b) => a - b)) {
    const field = fields.get(number);
    const inner = inlined.get(number);
    if (field !== undefined) writeField(writer, number, ownValue(object, field.name), field);
    else if (inner !== undefined) writer.message(number, writeStruct(object, inner));
  }
  return writer;
}

function writeField(writer: WireWriter, number: number, held: unknown, { schema, pointer }: Field): void {
  const value = held ?? undefined;
  if (schema.type === "list") {
    for (const item of Array.isArray(value) ? value : []) writeValue(writer, number, item, schema.items);
  } else if (schema.type === "map") {
    writeMap(writer, number, value, schema.values);
  } else if (value !== undefined) {
    writeValue(writer, number, value, schema);
  } else if (!pointer && !(schema.type === "scalar" && schema.scalar === "bytes")) {
    writeValue(writer, number, zeroOf(schema), schema);
  }
}

function writeMap(writer: WireWriter, number: number, value: unknown, values: Schema): void {
  const map = typeof value === "object" && value !== null ? value : {};
  for (const key of Object.keys(map).sort(compareKeys)) {
    const entry = new WireWriter().text(1, key);
    writeValue(entry, 2, ownValue(map, key), values);
    writer.message(number, entry);
  }
}

const zeroOf = (schema: Schema): unknown => (schema.type === "scalar" ? scalarZero[schema.scalar] : {});

function writeValue(writer: WireWriter, number: number, value: unknown, schema: Schema): void {
  switch (schema.type) {
    case "struct":
      writer.message(number, writeStruct(value, numbered(schema)));
      return;
    case "list": {
      // A list inside a map is a message whose field 1 is the items.
      const inner = new WireWriter();
      for (const item of Array.isArray(value) ? value : []) writeValue(inner, 1, item, schema.items);
      writer.message(number, inner);
      return;
    }
    case "map": {
      const inner = new WireWriter();
      writeMap(inner, 1, value, schema.values);
      writer.message(number, inner);
      return;
    }
    case "scalar":
      writeScalar(writer, number, value, schema);
  }
}

function writeScalar(writer: WireWriter, number: number, value: unknown, { scalar, definition }: ScalarSchema): void {
  switch (scalar) {
    case "bool":
      writer.integer(number, value === true);
      return;
    case "int32":
    case "int64":
      writer.integer(number, typeof value === "bigint" ? value : Number(value));
      return;
    case "float64":
      writer.double(number, Number(value));
      return;
    case "bytes":
      writer.bytes(number, Buffer.from(String(value), "base64"));
      return;
    case "time":
    case "microTime":
      writer.message(number, writeTime(value));
      return;
    case "quantity":
      writer.message(number, new WireWriter().text(1, String(value)));
      return;
    case "intOrString":
      writer.message(number, writeIntOrString(value));
      return;
    case "string":
      writer.text(number, String(value));
      return;
    case "duration":
    case "any":
      writer.message(number, writeRaw(value, scalar, definition));
  }
}

/** Free-form JSON is kept as its bytes. No built-in kind that a client writes this way holds a duration or another union. */
function writeRaw(value: unknown, scalar: string, definition = ""): WireWriter {
  if (scalar === "duration" || definition.includes(".JSONSchemaProps")) {
    throw new TypeError(`proto: ${definition || scalar} cannot be written`);
  }
  const writer = new WireWriter();
  return value === null ? writer : writer.text(1, encodeJson(value));
}

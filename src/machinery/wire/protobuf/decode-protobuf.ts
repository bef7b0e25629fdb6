import { append } from "../../../base/collections/append.js";
import type { JsonObject, JsonValue } from "../../meta/json.js";
import type { Field, ScalarSchema, Schema, StructSchema } from "../../schema/schema.js";
import { decodeJson, maxBodyDepth } from "../json/json-decoder.js";
import { ownValue, setKey } from "../json/own-keys.js";
import { type Numbers, numbered, type StructLookup } from "./field-numbers.js";
import { bytesOf, integerOf, ProtobufError, readFields, textOf, WireReader, type WireValue } from "./wire-reader.js";
import { readDuration, readIntOrString, readTime } from "./scalar-messages.js";

/**
 * Decodes a protobuf message of a Kubernetes type (generated.proto; numbers from the schema) to the JSON value that means
 * the same, ready for the decoder of JSON bodies. Unknown numbers are passed over. Throws a {@link ProtobufError}.
 */
export function decodeProtobufMessage(message: Uint8Array, schema: StructSchema, structOf: StructLookup): JsonObject {
  return new Decoder(structOf).struct(message, schema);
}

class Decoder {
  #depth = 0;

  constructor(private readonly structOf: StructLookup) {}

  struct(message: Uint8Array, schema: StructSchema): JsonObject {
    const result: JsonObject = {};
    this.#depth += 1;
    if (this.#depth > maxBodyDepth) throw new ProtobufError("exceeded max depth");
    this.#fill(result, message, numbered(schema));
    this.#depth -= 1;
    return result;
  }

  #fill(result: JsonObject, message: Uint8Array, { fields, inlined }: Numbers): void {
    for (const { number, value } of readFields(message)) {
      const inner = inlined.get(number);
      if (inner !== undefined) {
        this.#fill(result, bytesOf(value), inner);
        continue;
      }
      const field = fields.get(number);
      if (field !== undefined) this.#field(result, field, value);
    }
  }

  /** A list and a map come one item at a time. */
  #field(result: JsonObject, { name, schema }: Field, value: WireValue): void {
    const before = ownValue(result, name) as JsonValue | undefined;
    if (schema.type === "list") {
      const list = Array.isArray(before) ? before : [];
      append(list, this.#items(value, schema.items));
      setKey(result, name, list);
    } else if (schema.type === "map") {
      const map = (before ?? {}) as JsonObject;
      this.#entry(map, bytesOf(value), schema.values);
      setKey(result, name, map);
    } else {
      setKey(result, name, this.#value(value, schema));
    }
  }

  /** Numbers may come packed. */
  #items(value: WireValue, schema: Schema): JsonValue[] {
    const numeric = schema.type === "scalar" && (schema.scalar === "int32" || schema.scalar === "int64");
    if (!numeric || value.type !== "bytes") return [this.#value(value, schema)];
    const reader = new WireReader(value.bytes);
    const items: JsonValue[] = [];
    while (!reader.done) items.push(integerOf({ type: "varint", value: reader.varint() }));
    return items;
  }

  #entry(map: JsonObject, entry: Uint8Array, schema: Schema): void {
    let key = "";
    let held: JsonValue | undefined;
    for (const { number, value } of readFields(entry)) {
      if (number === 1) key = textOf(value);
      if (number === 2) held = this.#value(value, schema);
    }
    setKey(map, key, held ?? emptyOf(schema));
  }

  #value(value: WireValue, schema: Schema): JsonValue {
    switch (schema.type) {
      case "struct":
        return this.struct(bytesOf(value), schema);
      case "list":
        // A list inside a map is a message whose field 1 is the items.
        return [...readFields(bytesOf(value))].flatMap((item) => this.#items(item.value, schema.items));
      case "map": {
        const map: JsonObject = {};
        for (const item of readFields(bytesOf(value))) this.#entry(map, bytesOf(item.value), schema.values);
        return map;
      }
      case "scalar":
        return this.#scalar(value, schema);
    }
  }

  #scalar(value: WireValue, schema: ScalarSchema): JsonValue {
    switch (schema.scalar) {
      case "string":
        return textOf(value);
      case "bool":
        return integerOf(value) !== 0;
      case "int32":
      case "int64":
        return integerOf(value);
      case "float64":
        return floatOf(value);
      case "bytes":
        return Buffer.from(bytesOf(value)).toString("base64");
      case "time":
        return readTime(bytesOf(value), 0);
      case "microTime":
        return readTime(bytesOf(value), 6);
      case "duration":
        return readDuration(bytesOf(value));
      case "quantity":
        return firstText(bytesOf(value));
      case "intOrString":
        return readIntOrString(bytesOf(value));
      case "any":
        return this.#any(bytesOf(value), schema);
    }
  }

  /** Free-form JSON is kept as its bytes, some unions of JSON Schema as messages of their own. */
  #any(message: Uint8Array, { definition = "" }: ScalarSchema): JsonValue {
    const union = /^(.*\.JSONSchemaProps)Or(Array|Bool|StringArray)$/.exec(definition);
    if (union !== null) return this.#schemaUnion(message, union[1] ?? "", union[2] ?? "");
    for (const { number, value } of readFields(message)) {
      if (number === 1)
        return bytesOf(value).length === 0 ? null : decodeJson(bytesOf(value), { maxDepth: maxBodyDepth }).value;
    }
    return null;
  }

  #schemaUnion(message: Uint8Array, definition: string, kind: string): JsonValue {
    const schema = this.structOf(definition);
    if (schema === undefined) throw new ProtobufError(`no type ${definition}`);
    const fields = [...readFields(message)];
    const many = fields.filter(({ number }) => number === 2).map(({ value }) => value);
    const one = fields.find(({ number }) => number === 1)?.value;
    if (kind === "Bool") {
      const [inner] = many;
      return inner === undefined ? one !== undefined && integerOf(one) !== 0 : this.struct(bytesOf(inner), schema);
    }
    if (one !== undefined) return this.struct(bytesOf(one), schema);
    return kind === "Array" ? many.map((item) => this.struct(bytesOf(item), schema)) : many.map(textOf);
  }
}

function floatOf(value: WireValue): number {
  if (value.type !== "fixed64") throw new ProtobufError("proto: wrong wireType for a float64");
  return new DataView(value.bytes.buffer, value.bytes.byteOffset, 8).getFloat64(0, true);
}

function firstText(message: Uint8Array): string {
  for (const { number, value } of readFields(message)) if (number === 1) return textOf(value);
  return "";
}

/** What a map's value is when it was left out. */
function emptyOf(schema: Schema): JsonValue {
  if (schema.type === "list") return [];
  if (schema.type !== "scalar") return {};
  if (schema.scalar === "time" || schema.scalar === "microTime") return null;
  return schema.scalar === "bool" ? false : schema.scalar === "int32" || schema.scalar === "int64" ? 0 : "";
}

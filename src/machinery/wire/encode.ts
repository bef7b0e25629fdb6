import { compareKeys } from "../../base/collections/key-order.js";
import { anyJson } from "../schema/build-schema.js";
import type { Field, ScalarSchema, Schema, StructSchema } from "../schema/schema.js";
import { isOmitted, scalarZero } from "../schema/zero-values.js";
import { fieldsV1Text } from "./json/fields-v1-text.js";
import { encodeJson, encodeNumber, encodeString } from "./json/json-encoder.js";
import { ownValue } from "./json/own-keys.js";

/**
 * An object's JSON as Go writes the type: fields in Go's order (kind and apiVersion first), empty omitempty values left
 * out, other zero values written ("strategy":{}, "containers":null), map keys sorted, one line without a newline.
 * Fields that the schema does not have are left out, or stand behind the others in the order of their keys where the struct
 * preserves them. The values must fit the schema, as decodeObject makes them.
 */
export function encodeObject(object: object, schema: StructSchema): Uint8Array {
  return utf8.encode(encodeObjectText(object, schema));
}

/** {@link encodeObject} as a string. */
export function encodeObjectText(object: object, schema: StructSchema): string {
  return encodeStruct(object, schema);
}

const utf8 = new TextEncoder();

export interface PreparedField {
  readonly name: string;
  /** `"name":` */
  readonly label: string;
  readonly field: Field;
}

const prepared = new WeakMap<StructSchema, readonly PreparedField[]>();

/** Prepares the fields of a struct for encoding. */
export function fieldsOf(schema: StructSchema): readonly PreparedField[] {
  let fields = prepared.get(schema);
  if (fields === undefined) {
    fields = schema.fields.map((field) => ({ name: field.name, label: `${encodeString(field.name)}:`, field }));
    prepared.set(schema, fields);
  }
  return fields;
}

/** Returns the fields of an object in the order of encoding, with the unknown ones of an unstructured object at their places. */
export function fieldsIn(object: object, schema: StructSchema): readonly PreparedField[] {
  const declared = fieldsOf(schema);
  if (schema.isUnstructured !== true || schema.preservesUnknownFields !== true) return declared;
  const unknown = Object.keys(object).filter((name) => !schema.byName.has(name));
  if (unknown.length === 0) return declared;
  const added = unknown.map((name) => ({ name, label: `${encodeString(name)}:`, field: { ...UNKNOWN, name } }));
  return [...declared, ...added].sort((a, b) => compareKeys(a.name, b.name));
}

const UNKNOWN: Omit<Field, "name"> = {
  schema: anyJson,
  asIs: true,
  pointer: true,
  omitEmpty: true,
  omitZero: false,
  required: false,
};

function encodeStruct(value: unknown, schema: StructSchema): string {
  const object = typeof value === "object" && value !== null ? value : {};
  let text = "";
  for (const { name, label, field } of fieldsIn(object, schema)) {
    const held = ownValue(object, name);
    const encoded = encodeField(held === null && field.asIs !== true ? undefined : held, field);
    if (encoded !== undefined) text += text === "" ? `${label}${encoded}` : `,${label}${encoded}`;
  }
  return `{${withUnknownFields(text, object, schema)}}`;
}

/** Adds the preserved fields to `text`, which has the declared ones; all keys are in byte order, as Go prints a map. */
export function withUnknownFields(text: string, object: object, schema: StructSchema): string {
  if (schema.preservesUnknownFields !== true || schema.isUnstructured === true) return text;
  const names = Object.keys(object).filter((name) => !schema.byName.has(name));
  const unknown = names.sort(compareKeys).flatMap((name) => {
    const value = ownValue(object, name);
    return value === undefined ? [] : [`${encodeString(name)}:${encodeJson(value, { sortKeys: true })}`];
  });
  return text === "" ? unknown.join(",") : [text, ...unknown].join(",");
}

/** Encodes the value of a field; undefined when the field is left out. */
export function encodeField(value: unknown, field: Field): string | undefined {
  const { schema } = field;
  if (field.asIs === true) return value === undefined ? undefined : encodeJson(value, { sortKeys: true });
  if (field.pointer) {
    if (value === undefined) return field.omitEmpty || field.omitZero ? undefined : "null";
    return encodeValue(value, schema);
  }
  if (field.omitZero && isZero(value, schema)) return undefined;
  if (field.omitEmpty && isOmitted(value, schema)) return undefined;
  return value === undefined ? encodeZero(schema) : encodeValue(value, schema);
}

function encodeValue(value: unknown, schema: Schema): string {
  switch (schema.type) {
    case "struct":
      return encodeStruct(value, schema);
    case "map":
      return encodeMap(value, schema.values);
    case "list":
      return Array.isArray(value) ? `[${value.map((item) => encodeItem(item, schema.items)).join(",")}]` : "null";
    case "scalar":
      return encodeScalar(value, schema);
  }
}

/** Encodes an item of a list or a value of a map. */
export function encodeItem(value: unknown, schema: Schema): string {
  return value === undefined ? encodeZero(schema) : encodeValue(value, schema);
}

function encodeMap(value: unknown, values: Schema): string {
  if (typeof value !== "object" || value === null) return "null";
  const keys = Object.keys(value).sort(compareKeys);
  return `{${keys.map((key) => `${encodeString(key)}:${encodeItem(ownValue(value, key), values)}`).join(",")}}`;
}

function encodeScalar(value: unknown, schema: ScalarSchema): string {
  if (typeof value === "string") return encodeString(value);
  if (schema.definition === FIELDS_V1 && typeof value === "object" && value !== null) return fieldsV1Text(value);
  if (typeof value === "number") return encodeNumber(Object.is(value, -0) && schema.scalar !== "any" ? 0 : value);
  return encodeJson(value);
}

export const FIELDS_V1 = "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1";

function encodeZero(schema: Schema): string {
  if (schema.type === "struct") return encodeStruct(undefined, schema);
  return schema.type === "scalar" ? JSON.stringify(scalarZero[schema.scalar]) : "null";
}

function isZero(value: unknown, schema: Schema): boolean {
  if (value === undefined) return true;
  return schema.type === "struct" ? encodeStruct(value, schema) === "{}" : isOmitted(value, schema);
}

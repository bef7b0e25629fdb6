import {
  type DescEnum,
  type DescField,
  type DescExtension,
  type DescMessage,
  type Registry,
  ScalarType,
} from "@bufbuild/protobuf";
import { getTestRegistry } from "@bufbuild/cel-spec/testdata/registry.js";
import type { TypeProvider } from "../../../../src/machinery/cel/types/provider.js";
import {
  BOOL,
  BYTES,
  DOUBLE,
  INT,
  listType,
  mapType,
  objectType,
  STRING,
  type Type,
  UINT,
} from "../../../../src/machinery/cel/types/type.js";
import { WELL_KNOWN_TYPES } from "../../../../src/machinery/cel/types/well-known.js";
import {
  describeValue,
  Double,
  equalValues,
  ErrorValue,
  ObjectValue,
  Uint,
  type Value,
} from "../../../../src/machinery/cel/values/value.js";
import { EMPTY_LIST, ListValue } from "../../../../src/machinery/cel/values/list.js";
import { EMPTY_MAP, MapValue } from "../../../../src/machinery/cel/values/map.js";
import { Duration } from "../../../../src/machinery/cel/values/duration.js";
import { Timestamp } from "../../../../src/machinery/cel/values/timestamp.js";

const registry: Registry = getTestRegistry();

/** A message as fields that were set: what an expression needs of protocol buffers, which none of ours are. */
export class MessageValue extends ObjectValue {
  readonly type: Type;
  readonly desc: DescMessage;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(desc: DescMessage, fields: ReadonlyMap<string, Value>) {
    super();
    this.desc = desc;
    this.type = objectType(desc.typeName);
    this.fields = fields;
  }

  override get isZero(): boolean {
    return this.fields.size === 0;
  }

  get(name: string): Value {
    const field = findField(this.desc, name);
    if (field === undefined) return new ErrorValue(`no such field '${name}'`);
    const value = this.fields.get(name);
    return value === undefined ? defaultValue(field) : value;
  }

  has(name: string): boolean | ErrorValue {
    if (findField(this.desc, name) === undefined) return new ErrorValue(`no such field '${name}'`);
    return this.fields.has(name);
  }

  equals(other: Value): boolean {
    if (!(other instanceof MessageValue) || other.desc.typeName !== this.desc.typeName) return false;
    if (other.fields.size !== this.fields.size) return false;
    return [...this.fields].every(([name, value]) => {
      const theirs = other.fields.get(name);
      return theirs !== undefined && equalValues(value, theirs);
    });
  }
}

/** A field of a message, or an extension of it. */
export type AnyField = DescField | DescExtension;

function findField(desc: DescMessage, name: string): AnyField | undefined {
  const own = desc.fields.find((field) => field.name === name);
  if (own !== undefined) return own;
  const extension = registry.getExtension(name);
  return extension?.extendee.typeName === desc.typeName ? extension : undefined;
}

const SIGNED = new Set([
  ScalarType.INT32,
  ScalarType.INT64,
  ScalarType.SINT32,
  ScalarType.SINT64,
  ScalarType.SFIXED32,
  ScalarType.SFIXED64,
]);

function scalarType(scalar: ScalarType): Type {
  if (SIGNED.has(scalar)) return INT;
  if (scalar === ScalarType.BOOL) return BOOL;
  if (scalar === ScalarType.STRING) return STRING;
  if (scalar === ScalarType.BYTES) return BYTES;
  return scalar === ScalarType.DOUBLE || scalar === ScalarType.FLOAT ? DOUBLE : UINT;
}

function messageType(desc: DescMessage): Type {
  return WELL_KNOWN_TYPES.findType(desc.typeName) ?? objectType(desc.typeName);
}

function fieldType(field: AnyField): Type {
  switch (field.fieldKind) {
    case "scalar":
      return scalarType(field.scalar);
    case "enum":
      return enumType(field.enum);
    case "message":
      return messageType(field.message);
    case "list":
      return listType(elementType(field.listKind, field));
    case "map":
      return mapType(scalarType(field.mapKey), elementType(field.mapKind, field));
  }
}

function elementType(
  kind: "scalar" | "enum" | "message",
  field: {
    readonly scalar?: ScalarType | undefined;
    readonly enum?: DescEnum | undefined;
    readonly message?: DescMessage | undefined;
  },
): Type {
  if (kind === "message") return messageType(field.message as DescMessage);
  return kind === "enum" ? enumType(field.enum as DescEnum) : scalarType(field.scalar as ScalarType);
}

function enumType(desc: DescEnum): Type {
  return WELL_KNOWN_TYPES.findType(desc.typeName) ?? INT;
}

function zero(type: Type): Value {
  if (type === BOOL) return false;
  if (type === BYTES) return new Uint8Array();
  if (type === DOUBLE) return new Double(0);
  if (type === UINT) return new Uint(0n);
  return type === STRING ? "" : 0;
}

/** What reading a field that is not set answers. */
function defaultValue(field: AnyField): Value {
  switch (field.fieldKind) {
    case "list":
      return EMPTY_LIST;
    case "map":
      return EMPTY_MAP;
    case "enum":
      if (enumType(field.enum) !== INT) return null;
      return (field.getDefaultValue() as number | undefined) ?? field.enum.values[0]?.number ?? 0;
    case "scalar":
      return scalarDefault(field.getDefaultValue(), scalarType(field.scalar));
    case "message":
      return messageDefault(field.message);
  }
}

function scalarDefault(value: unknown, type: Type): Value {
  if (value === undefined) return zero(type);
  if (type === DOUBLE) return new Double(Number(value));
  if (type === UINT) return new Uint(BigInt(value as number));
  return type === INT ? Number(value) : (value as Value);
}

function messageDefault(desc: DescMessage): Value {
  const known = WELL_KNOWN_TYPES.findType(desc.typeName);
  if (known === undefined) return new MessageValue(desc, new Map());
  if (known.nullable || known.kind === "any") return null;
  return WELL_KNOWN_TYPES.construct?.(desc.typeName, new Map()) ?? null;
}

/** protobuf's FieldPresence.IMPLICIT: a field with its zero value is one that is not set. */
const IMPLICIT = 2;

function isImplicitDefault(field: AnyField, value: Value): boolean {
  if (field.fieldKind === "list") return value instanceof ListValue && value.size === 0;
  if (field.fieldKind === "map") return value instanceof MapValue && value.size === 0;
  if (field.presence !== IMPLICIT) return false;
  const type = fieldType(field);
  return value instanceof Double ? Object.is(value.value, 0) : equalValues(value, zero(type));
}

const LIMITS: ReadonlyMap<ScalarType, readonly [bigint, bigint]> = new Map([
  [ScalarType.INT32, [-(2n ** 31n), 2n ** 31n - 1n]],
  [ScalarType.SINT32, [-(2n ** 31n), 2n ** 31n - 1n]],
  [ScalarType.SFIXED32, [-(2n ** 31n), 2n ** 31n - 1n]],
  [ScalarType.UINT32, [0n, 2n ** 32n - 1n]],
  [ScalarType.FIXED32, [0n, 2n ** 32n - 1n]],
]);

function integerOf(value: Value): bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return BigInt(value);
  return value instanceof Uint ? value.value : undefined;
}

/** A value as a field takes it; undefined: setting it leaves the field unset. */
function convert(field: AnyField, value: Value): Value | undefined {
  if (value === null) return convertNull(field);
  if (field.fieldKind === "enum" && enumType(field.enum) !== INT) return null;
  const integer = integerOf(value);
  const limits =
    field.fieldKind === "enum" ? LIMITS.get(ScalarType.INT32) : LIMITS.get(field.scalar ?? ScalarType.BOOL);
  if (limits !== undefined && integer !== undefined && (integer < limits[0] || integer > limits[1])) {
    return new ErrorValue("range error");
  }
  if (field.scalar === ScalarType.FLOAT && value instanceof Double) return new Double(Math.fround(value.value));
  return field.fieldKind === "message" ? convertMessage(field.message, value) : value;
}

function convertNull(field: AnyField): Value | undefined {
  if (field.fieldKind === "enum") return enumType(field.enum) === INT ? new ErrorValue("unsupported field type") : 0;
  if (field.fieldKind !== "message") return new ErrorValue("unsupported field type");
  const { typeName } = field.message;
  if (typeName === "google.protobuf.Value" || typeName === "google.protobuf.Any") return null;
  const isCollection = typeName === "google.protobuf.Struct" || typeName === "google.protobuf.ListValue";
  return isCollection ? new ErrorValue("unsupported field type") : undefined;
}

function convertMessage(desc: DescMessage, value: Value): Value {
  const known = WELL_KNOWN_TYPES.findType(desc.typeName);
  if (known === undefined) return value;
  if (known.nullable) return WELL_KNOWN_TYPES.construct?.(desc.typeName, new Map([["value", value]])) ?? value;
  if (desc.typeName === "google.protobuf.Value") return toJson(value);
  if (desc.typeName === "google.protobuf.Struct") return hasStringKeys(value) ? value : BAD_KEY;
  return value;
}

const BAD_KEY = new ErrorValue("bad key type");

function hasStringKeys(value: Value): boolean {
  return !(value instanceof MapValue) || Array.from(value.keys()).every((key) => typeof key === "string");
}

/** What protobuf's JSON makes of a value. */
function toJson(value: Value): Value {
  const integer = integerOf(value);
  if (integer !== undefined) {
    const short = Number(integer);
    return Number.isSafeInteger(short) ? new Double(short) : integer.toString();
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Timestamp || value instanceof Duration) return value.toString();
  if (value instanceof MessageValue && value.desc.typeName === "google.protobuf.FieldMask") {
    const paths = value.get("paths");
    return paths instanceof ListValue ? paths.toArray().map(describeValue).join(",") : "";
  }
  return value instanceof MessageValue && value.desc.typeName === "google.protobuf.Empty" ? EMPTY_MAP : value;
}

function construct(typeName: string, given: ReadonlyMap<string, Value>): Value {
  const desc = registry.getMessage(typeName) as DescMessage;
  const fields = new Map<string, Value>();
  for (const [name, value] of given) {
    const field = findField(desc, name);
    if (field === undefined) return new ErrorValue(`no such field '${name}'`);
    const converted = convert(field, value);
    if (converted instanceof ErrorValue) return converted;
    if (converted !== undefined && !isImplicitDefault(field, converted)) fields.set(name, converted);
  }
  return new MessageValue(desc, fields);
}

/** The messages and enumerations of the suite. */
export const MESSAGES: TypeProvider = {
  findType(name) {
    if (WELL_KNOWN_TYPES.findType(name) !== undefined) return undefined;
    return registry.getMessage(name) === undefined ? undefined : objectType(name);
  },
  findField(typeName, name) {
    const desc = registry.getMessage(typeName);
    const field = desc === undefined ? undefined : findField(desc, name);
    return field && { type: fieldType(field) };
  },
  findConstant(name) {
    if (WELL_KNOWN_TYPES.findConstant?.(name) !== undefined) return undefined;
    const dot = name.lastIndexOf(".");
    const value = registry.getEnum(name.slice(0, dot))?.values.find((entry) => entry.name === name.slice(dot + 1));
    return value?.number;
  },
  construct,
};

export { convert as convertField, findField as findMessageField, registry };

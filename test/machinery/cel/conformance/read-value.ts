import type { DescMessage } from "@bufbuild/protobuf";
import { parseDuration } from "../../../../src/machinery/cel/values/duration.js";
import { intOf, Double, OpaqueValue, Uint, type Value } from "../../../../src/machinery/cel/values/value.js";
import { ArrayList } from "../../../../src/machinery/cel/values/list.js";
import { EntryMap } from "../../../../src/machinery/cel/values/map.js";
import { NativeAdapter } from "../../../../src/machinery/cel/values/native.js";
import { parseTimestamp } from "../../../../src/machinery/cel/values/timestamp.js";
import { NO_TYPES } from "../../../../src/machinery/cel/types/provider.js";
import { DYN, opaqueType, Type } from "../../../../src/machinery/cel/types/type.js";
import { type AnyField, MESSAGES, findMessageField, MessageValue, registry } from "./messages.js";
import { WELL_KNOWN_TYPES } from "../../../../src/machinery/cel/types/well-known.js";
import type { WrittenValue } from "./suite.js";

/** A value of an enumeration with a type of its own, which no expression here can make. */
class EnumValue extends OpaqueValue {
  readonly type: Type;
  readonly number: number;

  constructor(typeName: string, number: number) {
    super();
    this.type = opaqueType(typeName);
    this.number = number;
  }

  equals(other: Value): boolean {
    return other instanceof EnumValue && other.type.is(this.type) && other.number === this.number;
  }
}

/** The value that the suite writes. */
export function readValue(written: WrittenValue): Value {
  const [kind, value] = Object.entries(written)[0] ?? ["nullValue", null];
  switch (kind) {
    case "nullValue":
      return null;
    case "boolValue":
    case "stringValue":
      return value as Value;
    case "int64Value":
      return intOf(BigInt(value as string));
    case "uint64Value":
      return new Uint(BigInt(value as string));
    case "doubleValue":
      return new Double(Number(value));
    case "bytesValue":
      return readBytes(value as string);
    case "listValue":
      return new ArrayList(((value as { readonly values?: readonly WrittenValue[] }).values ?? []).map(readValue));
    case "mapValue":
      return readMap((value as { readonly entries?: readonly WrittenEntry[] }).entries ?? []);
    case "typeValue":
      return new Type("opaque", value as string);
    case "enumValue": {
      const { type, value: number } = value as { readonly type: string; readonly value?: number };
      return new EnumValue(type, number ?? 0);
    }
    case "objectValue":
      return readAny(value as Readonly<Record<string, unknown>>);
    default:
      throw new Error(`the suite writes a value in an unknown way: ${kind}`);
  }
}

interface WrittenEntry {
  readonly key: WrittenValue;
  readonly value: WrittenValue;
}

function readMap(entries: readonly WrittenEntry[]): Value {
  return EntryMap.of(entries.map(({ key, value }) => [readValue(key), readValue(value)]));
}

function readBytes(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, "base64"));
}

/** A message in protobuf's JSON, with its type beside its fields. */
function readAny(written: Readonly<Record<string, unknown>>): Value {
  const { "@type": url, ...fields } = written;
  const typeName = String(url).replace(/^type\.googleapis\.com\//, "");
  const desc = registry.getMessage(typeName);
  if (desc === undefined) throw new Error(`the suite writes an unknown message ${typeName}`);
  return readMessage(
    desc,
    WELL_KNOWN_TYPES.findType(typeName) !== undefined && "value" in fields ? fields.value : fields,
  );
}

const json = new NativeAdapter(NO_TYPES).toValue(DYN);

/** JSON's numbers are doubles in protocol buffers. */
function readJson(written: unknown): Value {
  if (typeof written === "number") return new Double(written);
  if (Array.isArray(written)) return new ArrayList(written.map(readJson));
  if (typeof written === "object" && written !== null) {
    return EntryMap.of(Object.entries(written).map(([key, value]) => [key, readJson(value)]));
  }
  return json(written);
}

function readMessage(desc: DescMessage, written: unknown): Value {
  const short = desc.typeName.replace(/^google\.protobuf\./, "");
  switch (short) {
    case "Timestamp":
      return parseTimestamp(written as string) ?? null;
    case "Duration":
      return parseDuration(written as string) ?? null;
    case "Struct":
    case "Value":
    case "ListValue":
      return readJson(written);
    case "Any":
      return readAny(written as Readonly<Record<string, unknown>>);
    case "BoolValue":
    case "StringValue":
      return written as Value;
    case "BytesValue":
      return readBytes(written as string);
    case "DoubleValue":
    case "FloatValue":
      return new Double(Number(written));
    case "Int32Value":
    case "Int64Value":
      return intOf(BigInt(written as string));
    case "UInt32Value":
    case "UInt64Value":
      return new Uint(BigInt(written as string));
    default:
      return readFields(desc, written as Readonly<Record<string, unknown>>);
  }
}

function readFields(desc: DescMessage, written: Readonly<Record<string, unknown>>): Value {
  const fields = new Map<string, Value>();
  for (const [key, value] of Object.entries(written)) {
    const field =
      desc.fields.find(({ jsonName }) => jsonName === key) ?? findMessageField(desc, key.replace(/^\[|\]$/g, ""));
    if (field === undefined) throw new Error(`${desc.typeName} has no field ${key}`);
    const name = field.kind === "extension" ? field.typeName : field.name;
    if (value === null && field.message?.typeName !== "google.protobuf.Value") continue;
    fields.set(name, readField(field, value));
  }
  return MESSAGES.construct?.(desc.typeName, fields) ?? new MessageValue(desc, fields);
}

function readField(field: AnyField, written: unknown): Value {
  const element = (value: unknown): Value => readElement(field, value);
  if (field.fieldKind === "list") return new ArrayList((written as readonly unknown[]).map(element));
  if (field.fieldKind === "map") {
    return EntryMap.of(
      Object.entries(written as object).map(([key, value]) => [readMapKey(field, key), element(value)] as const),
    );
  }
  return element(written);
}

function readMapKey(field: AnyField, key: string): Value {
  const type =
    field.kind === "field" ? MESSAGES.findField(field.parent.typeName, field.name)?.type.parameter(0).kind : undefined;
  if (type === "bool") return key === "true";
  if (type === "uint") return new Uint(BigInt(key));
  return type === "int" ? intOf(BigInt(key)) : key;
}

function readElement(field: AnyField, written: unknown): Value {
  if (field.message !== undefined) return readMessage(field.message, written);
  if (field.enum !== undefined) {
    if (field.enum.typeName === "google.protobuf.NullValue") return null;
    return typeof written === "number" ? written : enumNumber(field.enum.values, written as string);
  }
  if (typeof written === "boolean") return written;
  const type = scalarTypeOf(field);
  if (type?.kind === "double") return new Double(Number(written));
  if (type?.kind === "int") return intOf(BigInt(written as string));
  if (type?.kind === "uint") return new Uint(BigInt(written as string));
  return type?.kind === "bytes" ? readBytes(written as string) : (written as Value);
}

/** The type of a field's value, of its elements, or of its entries' values. */
function scalarTypeOf(field: AnyField): Type | undefined {
  const [owner, name] = field.kind === "extension" ? [field.extendee, field.typeName] : [field.parent, field.name];
  const type = MESSAGES.findField(owner.typeName, name)?.type;
  if (field.fieldKind === "list") return type?.parameter(0);
  return field.fieldKind === "map" ? type?.parameter(1) : type;
}

function enumNumber(values: readonly { readonly name: string; readonly number: number }[], name: string): number {
  return values.find((value) => value.name === name)?.number ?? 0;
}

import { intOf } from "../../cel/values/int.js";
import { ListValue, NativeList } from "../../cel/values/list.js";
import { Double, ErrorValue, type Value } from "../../cel/values/value.js";
import type { JsonObject, JsonValue } from "../../meta/json.js";
import type { StructuralSchema } from "../structural-schema.js";
import { FORMAT_VALUES } from "./format-values.js";
import { MapList, SetList } from "./lists.js";
import { type ReadField, type ReadNative, StructuralMap, StructuralObject, UnknownValue } from "./objects.js";
import { withTypeAndNames } from "./resource-root.js";

/**
 * What reads the values of a schema out of decoded objects, which are not copied. What the schema does not allow is an error of the
 * evaluation. Source: apiserver's common.UnstructuredToVal.
 */
export function readerOf(schema: StructuralSchema, isResourceRoot = schema.embeddedResource): ReadNative {
  const known = isResourceRoot ? rootReaders : readers;
  let reader = known.get(schema);
  if (reader === undefined) {
    reader = nullChecked(schema, nonNullReader(isResourceRoot ? withTypeAndNames(schema) : schema, isResourceRoot));
    known.set(schema, reader);
  }
  return reader;
}

const readers = new WeakMap<StructuralSchema, ReadNative>();
const rootReaders = new WeakMap<StructuralSchema, ReadNative>();

/** Of values that are not null. */
type ReadPresent = (native: Exclude<JsonValue, null>) => Value;

const NO_NULL = new ErrorValue("invalid data, got null for schema with nullable=false");

function nullChecked({ nullable }: StructuralSchema, read: ReadPresent): ReadNative {
  return (native) => {
    if (native === null) return nullable ? null : NO_NULL;
    return read(native);
  };
}

const invalid = (message: string): ErrorValue => new ErrorValue(`invalid data, ${message}`);

const NO_INT_OR_STRING = invalid("expected XIntOrString value to be either a string or integer");
const NO_OBJECT = invalid("expected a map for the provided schema with type=object");
const NO_ARRAY = invalid("expected an array for the provided schema with type=array");

function nonNullReader(schema: StructuralSchema, isResourceRoot: boolean): ReadPresent {
  if (schema.intOrString) {
    return (native) => (typeof native === "string" ? native : (integerOf(native) ?? NO_INT_OR_STRING));
  }
  switch (schema.type) {
    case "object":
      return objectReader(schema, isResourceRoot);
    case "array":
      return listReader(schema);
    case "string":
      return textReader(schema);
    case "number":
      return (native) => (isNumber(native) ? new Double(Number(native)) : expected("float", native));
    case "integer":
      return (native) => integerOf(native) ?? expected("int", native);
    case "boolean":
      return (native) => (typeof native === "boolean" ? native : expected("bool", native));
    default:
      return (native) => new UnknownValue(native);
  }
}

const isNumber = (native: JsonValue): native is number | bigint =>
  typeof native === "number" || typeof native === "bigint";

function integerOf(native: JsonValue): Value | undefined {
  if (typeof native === "bigint") return intOf(native);
  if (typeof native !== "number" || !Number.isInteger(native)) return undefined;
  return Number.isSafeInteger(native) ? (native === 0 ? 0 : native) : intOf(BigInt(native));
}

/** In the words of Go, whose types these are. */
function expected(wanted: string, native: Exclude<JsonValue, null>): ErrorValue {
  return invalid(`expected ${wanted}, got ${goTypeOf(native)}`);
}

function goTypeOf(native: Exclude<JsonValue, null>): string {
  if (typeof native === "string") return "string";
  if (typeof native === "boolean") return "bool";
  if (isNumber(native)) return integerOf(native) === undefined ? "float64" : "int64";
  return Array.isArray(native) ? "[]interface {}" : "map[string]interface {}";
}

function objectReader(schema: StructuralSchema, isResourceRoot: boolean): ReadPresent {
  const { additionalProperties: others } = schema;
  const hasFields = isResourceRoot || schema.properties.size > 0;
  if (!hasFields && typeof others === "object") {
    let read: ReadNative | undefined;
    return (native) => {
      read ??= readerOf(others);
      return isObject(native) ? new StructuralMap(native, read) : NO_OBJECT;
    };
  }
  const readField = fieldReader(schema);
  return (native) => (isObject(native) ? new StructuralObject(native, readField) : NO_OBJECT);
}

const isObject = (native: Exclude<JsonValue, null>): native is JsonObject =>
  typeof native === "object" && !Array.isArray(native);

/** Each field's reader is made when the field is first read. */
function fieldReader({ properties }: StructuralSchema): ReadField {
  const known = new Map<string, ReadNative>();
  return (name) => {
    let read = known.get(name);
    if (read !== undefined) return read;
    const property = properties.get(name);
    if (property === undefined) return undefined;
    read = readerOf(property);
    known.set(name, read);
    return read;
  };
}

function listReader({ items, listType, listMapKeys }: StructuralSchema): ReadPresent {
  if (items === undefined) return () => new ErrorValue("invalid array type, expected Items with a non-empty Schema");
  let read: ReadNative | undefined;
  const listOf = (native: readonly JsonValue[]): ListValue => {
    read ??= readerOf(items);
    return new NativeList(native, read as (native: unknown) => Value);
  };
  return (native) => {
    if (!Array.isArray(native)) return NO_ARRAY;
    if (listType === "set") return new SetList(listOf(native));
    return listType === "map" ? new MapList(listOf(native), listMapKeys) : listOf(native);
  };
}

function textReader({ validation }: StructuralSchema): ReadPresent {
  const read = FORMAT_VALUES.get(validation.format);
  return (native) => {
    if (typeof native !== "string") return expected("string", native);
    return read === undefined ? native : read(native);
  };
}

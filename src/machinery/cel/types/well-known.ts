import { checkedDuration } from "../values/duration.js";
import { EMPTY_LIST } from "../values/list.js";
import { EMPTY_MAP } from "../values/map.js";
import { checkedTimestamp } from "../values/timestamp.js";
import { Double, ErrorValue, Uint, type Value } from "../values/value.js";
import type { FieldDeclaration, TypeProvider } from "./provider.js";
import {
  ANY,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  LIST_OF_DYN,
  listType,
  mapType,
  NULL,
  nullableType,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from "./type.js";

/** How objects of a type are made, and are another value then: `google.protobuf.Int64Value{value: 1}` is 1. */
interface WellKnownType {
  readonly type: Type;
  readonly fields: Readonly<Record<string, Type>>;
  construct(fields: ReadonlyMap<string, Value>): Value;
}

function wrapper(type: Type, zero: Value, check = (value: Value): Value => value): WellKnownType {
  return {
    type: nullableType(type),
    fields: { value: type },
    construct: (fields) => check(fields.get("value") ?? zero),
  };
}

/** The error of an int that 32 bits cannot hold. */
function inRange(low: number, high: number): (value: Value) => Value {
  return (value) => {
    const number = value instanceof Uint ? value.value : value;
    const fits = (typeof number === "number" || typeof number === "bigint") && number >= low && number <= high;
    return fits ? value : new ErrorValue("range error");
  };
}

function inFloat(value: Value): Value {
  return value instanceof Double ? new Double(Math.fround(value.value)) : value;
}

/** The nanoseconds of a `seconds` and a `nanos` field. */
function nanoseconds(fields: ReadonlyMap<string, Value>): bigint {
  const field = (name: string): bigint => {
    const value = fields.get(name);
    return typeof value === "number" || typeof value === "bigint" ? BigInt(value) : 0n;
  };
  return field("seconds") * 1_000_000_000n + field("nanos");
}

/** The only field that is set, of those of which one may be. */
function onlyField(fields: ReadonlyMap<string, Value>): Value {
  const [value = null] = fields.values();
  return value;
}

const UINT32 = 2 ** 32 - 1;
const [MIN_INT32, MAX_INT32] = [-(2 ** 31), 2 ** 31 - 1];

const TYPES: Readonly<Record<string, WellKnownType>> = {
  BoolValue: wrapper(BOOL, false),
  BytesValue: wrapper(BYTES, new Uint8Array()),
  DoubleValue: wrapper(DOUBLE, new Double(0)),
  FloatValue: wrapper(DOUBLE, new Double(0), inFloat),
  Int32Value: wrapper(INT, 0, inRange(MIN_INT32, MAX_INT32)),
  Int64Value: wrapper(INT, 0),
  StringValue: wrapper(STRING, ""),
  UInt32Value: wrapper(UINT, new Uint(0n), inRange(0, UINT32)),
  UInt64Value: wrapper(UINT, new Uint(0n)),
  Timestamp: {
    type: TIMESTAMP,
    fields: { seconds: INT, nanos: INT },
    construct: (fields) => checkedTimestamp(nanoseconds(fields)),
  },
  Duration: {
    type: DURATION,
    fields: { seconds: INT, nanos: INT },
    construct: (fields) => checkedDuration(nanoseconds(fields)),
  },
  Struct: {
    type: mapType(STRING, DYN),
    fields: { fields: mapType(STRING, DYN) },
    construct: (fields) => fields.get("fields") ?? EMPTY_MAP,
  },
  ListValue: {
    type: LIST_OF_DYN,
    fields: { values: listType(DYN) },
    construct: (fields) => fields.get("values") ?? EMPTY_LIST,
  },
  Value: {
    type: DYN,
    fields: {
      null_value: NULL,
      number_value: DOUBLE,
      string_value: STRING,
      bool_value: BOOL,
      struct_value: mapType(STRING, DYN),
      list_value: listType(DYN),
    },
    construct: onlyField,
  },
  Any: {
    type: ANY,
    fields: { type_url: STRING, value: BYTES },
    construct: () => new ErrorValue("conversion error: got Any with empty type-url"),
  },
  NullValue: { type: NULL, fields: {}, construct: () => null },
};

const PREFIX = "google.protobuf.";

function find(name: string): WellKnownType | undefined {
  const short = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : "";
  return Object.hasOwn(TYPES, short) ? TYPES[short] : undefined;
}

/** The protocol buffer types of every environment; each corresponds to a type of the language. */
export const WELL_KNOWN_TYPES: TypeProvider = {
  findType: (name) => find(name)?.type,
  findField(typeName, field): FieldDeclaration | undefined {
    const fields = find(typeName)?.fields ?? {};
    const type = Object.hasOwn(fields, field) ? fields[field] : undefined;
    return type && { type };
  },
  findConstant: (name) => (name === "google.protobuf.NullValue.NULL_VALUE" ? null : undefined),
  construct(typeName, fields) {
    const made = find(typeName)?.construct(fields);
    return made === undefined ? new ErrorValue(`unknown type: ${typeName}`) : made;
  },
};

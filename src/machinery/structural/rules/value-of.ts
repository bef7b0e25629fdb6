import { intOf, Double, ErrorValue, type Value } from "../../cel/values/value.js";
import { ListValue, NativeList } from "../../cel/values/list.js";
import type { JsonObject, JsonValue } from "../../meta/json.js";
import type { StructuralSchema } from "../structural-schema.js";
import {
  MapList,
  SetList,
  type ObjectField,
  type ObjectFields,
  type ReadNative,
  StructuralMap,
  StructuralObject,
  UnknownValue,
} from "./structural-values.js";
import { CountingMap, CountingSet } from "./counting-lists.js";
import { type RuleDialect, SchemaCaches } from "./dialect.js";
import { unescapeName } from "./escape-name.js";
import { withTypeAndNames } from "./declared-type.js";
import { checkedDuration, parseDuration } from "../../cel/values/duration.js";
import { parseTimestamp } from "../../cel/values/timestamp.js";

/** How texts of the formats that are no texts to rules are read; an error for what is not of the format. */
const FORMAT_VALUES: ReadonlyMap<string, (text: string) => Value> = new Map([
  ["date", (text: string) => parseTimestamp(`${text}T00:00:00Z`) ?? invalidText("date formatted string", text)],
  ["date-time", (text: string) => parseTimestamp(text) ?? invalidText("date-time formatted string", text)],
  ["duration", durationOf],
  ["byte", bytesOf],
]);

const invalidText = (what: string, text: string): ErrorValue => new ErrorValue(`Invalid ${what} ${text}`);

const SECOND = 1_000_000_000n;

/** Names of units, and what longer names begin with. */
const UNITS: readonly (readonly [nanoseconds: bigint, names: readonly string[], beginning: string])[] = [
  [1n, ["ns"], "nano"],
  [1_000n, ["us", "µs"], "micro"],
  [1_000_000n, ["ms"], "milli"],
  [SECOND, ["s"], "sec"],
  [60n * SECOND, ["m"], "min"],
  [3600n * SECOND, ["h", "hr"], "hour"],
  [86_400n * SECOND, ["d"], "day"],
  [604_800n * SECOND, ["w", "wk"], "week"],
];

/** As Go writes it ("1h30m"), or amounts of units ("2 days"). Source: kube-openapi's strfmt.ParseDuration. */
function durationOf(text: string): Value {
  const written = parseDuration(text);
  if (written !== undefined) return written;
  let nanoseconds: bigint | undefined;
  for (const [, amount = "", name = ""] of text.matchAll(/(?<![0-9])([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    const unit = name.toLowerCase();
    const found = UNITS.find(([, names, beginning]) => names.includes(unit) || unit.startsWith(beginning));
    if (found !== undefined) nanoseconds = (nanoseconds ?? 0n) + BigInt(amount) * found[0];
  }
  return nanoseconds === undefined ? invalidText("duration", text) : checkedDuration(nanoseconds);
}

function bytesOf(text: string): Value {
  const compact = text.replaceAll(/[\r\n]/g, "");
  const bytes = Buffer.from(compact, "base64");
  // Buffer passes over what is not base64.
  return bytes.toString("base64") === compact ? new Uint8Array(bytes) : invalidText("byte formatted string", text);
}

/**
 * Makes a function that converts decoded objects to CEL values by their schema, without a copy. A value that the schema does not
 * allow is an error of the evaluation. Source: apiserver's common.UnstructuredToVal.
 */
export function readerOf(
  schema: StructuralSchema,
  dialect: RuleDialect,
  isResourceRoot = schema.embeddedResource,
): ReadNative {
  const known = readers.of(dialect, isResourceRoot);
  let reader = known.get(schema);
  if (reader === undefined) {
    const whole = isResourceRoot ? withTypeAndNames(schema, dialect) : schema;
    reader = nullChecked(schema, nonNullReader(whole, dialect, isResourceRoot));
    known.set(schema, reader);
  }
  return reader;
}

const readers = new SchemaCaches<ReadNative>();

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

function nonNullReader(schema: StructuralSchema, dialect: RuleDialect, isResourceRoot: boolean): ReadPresent {
  if (schema.intOrString) {
    return (native) => (typeof native === "string" ? native : (integerOf(native) ?? NO_INT_OR_STRING));
  }
  switch (schema.type) {
    case "object":
      return objectReader(schema, dialect, isResourceRoot);
    case "array":
      return listReader(schema, dialect);
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

function objectReader(schema: StructuralSchema, dialect: RuleDialect, isResourceRoot: boolean): ReadPresent {
  const { additionalProperties: others } = schema;
  const hasFields = isResourceRoot || schema.properties.size > 0;
  if (!hasFields && typeof others === "object") {
    let read: ReadNative | undefined;
    return (native) => {
      read ??= readerOf(others, dialect);
      return isObject(native) ? new StructuralMap(native, read) : NO_OBJECT;
    };
  }
  const fields = new SchemaFields(schema.properties, dialect);
  return (native) => (isObject(native) ? new StructuralObject(native, fields) : NO_OBJECT);
}

const isObject = (native: Exclude<JsonValue, null>): native is JsonObject =>
  typeof native === "object" && !Array.isArray(native);

/** The fields of a schema. Each is looked up once by each of its names. */
class SchemaFields implements ObjectFields {
  readonly #byName = new Map<string, ObjectField>();
  readonly #byKey = new Map<string, ObjectField | null>();

  constructor(
    private readonly properties: ReadonlyMap<string, StructuralSchema>,
    private readonly dialect: RuleDialect,
  ) {}

  byName(name: string): ObjectField | undefined {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const property = this.properties.get(name);
    // Objects bring any number of names.
    if (property === undefined) return undefined;
    const field = { name, read: readerOf(property, this.dialect) };
    this.#byName.set(name, field);
    return field;
  }

  byKey(key: string): ObjectField | undefined {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known ?? undefined;
    const name = unescapeName(key);
    const field = name === undefined ? undefined : this.byName(name);
    if (this.#byKey.size < MOST_KEYS) this.#byKey.set(key, field ?? null);
    return field;
  }
}

/** Expressions may make keys, as many as they like. */
const MOST_KEYS = 10_000;

function listReader({ items, listType, listMapKeys }: StructuralSchema, dialect: RuleDialect): ReadPresent {
  if (items === undefined) return () => new ErrorValue("invalid array type, expected Items with a non-empty Schema");
  let read: ReadNative | undefined;
  const listOf = (native: readonly JsonValue[]): ListValue => {
    read ??= readerOf(items, dialect);
    return new NativeList(native, read as (native: unknown) => Value);
  };
  return (native) => {
    if (!Array.isArray(native)) return NO_ARRAY;
    const all = listOf(native);
    if (listType === "set") return dialect.countsRepeats ? new CountingSet(all) : new SetList(all);
    if (listType !== "map") return all;
    return dialect.countsRepeats ? CountingMap.of(all, listMapKeys) : new MapList(all, listMapKeys);
  };
}

function textReader({ validation }: StructuralSchema): ReadPresent {
  const read = FORMAT_VALUES.get(validation.format);
  return (native) => {
    if (typeof native !== "string") return expected("string", native);
    return read === undefined ? native : read(native);
  };
}

import type { JsonObject, JsonValue } from "../../src/machinery/meta/json.js";
import type { ScalarSchema, Schema } from "../../src/machinery/schema/schema.js";
import type { Dice } from "./dice.js";

/** Texts that break what believes in texts. */
const STRANGE_TEXTS: readonly string[] = [
  "",
  " ",
  "\u0000",
  "\u0000\u0001\u007f",
  "__proto__",
  "constructor",
  "toString",
  "\ud800",
  "\u202e\u0000x",
  "e\u0301\u200d\u{1f468}\u200d\u{1f469}",
  "%s%d%n",
  "../../etc",
  "/",
  "-",
  ".",
  "*",
  "{{.}}",
  "null",
  "NaN",
  "-0",
  "1e400",
  "9223372036854775808",
  "0x10",
  "1_000",
  "999999999999999999999999999999Ei",
  "-1m",
  "50%",
  "%",
  "-2147483649%",
  "::ffff:1.2.3.4",
  "010.0.0.1",
  "fe80::1%eth0",
  "10.0.0.0/99",
  "1.2.3.4/-1",
  "2026-02-30T25:61:61Z",
  "0000-00-00T00:00:00Z",
  "99999-01-01T00:00:00Z",
  "Always",
  "TCP",
  "a".repeat(64),
  "a.".repeat(127),
  "\u00e9".repeat(300),
];

const STRANGE_NUMBERS: readonly JsonValue[] = [
  0,
  -1,
  1,
  65_536,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 31,
  2 ** 53 + 2,
  -(2 ** 63),
  2 ** 63,
  9_223_372_036_854_775_807n,
  -9_223_372_036_854_775_808n,
  18_446_744_073_709_551_616n,
  1.5,
  -0.1,
  1e300,
  5e-324,
];

/** A text that may be long. */
export function strangeText(dice: Dice): string {
  const text = dice.pick(STRANGE_TEXTS);
  return dice.chance(0.04) ? (text || "x").repeat(1 + dice.below(2000)).slice(0, 4000) : text;
}

/** Any JSON value at all. */
export function strangeValue(dice: Dice, depth = 0): JsonValue {
  switch (dice.below(depth > 3 ? 5 : 9)) {
    case 0:
      return null;
    case 1:
      return dice.chance(0.5);
    case 2:
      return dice.pick(STRANGE_NUMBERS);
    case 3:
    case 4:
      return strangeText(dice);
    case 5:
      return Array.from({ length: dice.below(4) }, () => strangeValue(dice, depth + 1));
    case 6:
      return repeated(strangeValue(dice, depth + 2), 1 + dice.below(60));
    case 7:
      return nested(dice, 1 + dice.below(60));
    default:
      return strangeObject(dice, depth);
  }
}

function strangeObject(dice: Dice, depth: number): JsonObject {
  const object: JsonObject = {};
  for (let left = dice.below(4); left > 0; left--) setOwn(object, strangeText(dice), strangeValue(dice, depth + 1));
  return object;
}

const repeated = (value: JsonValue, times: number): JsonValue[] => Array.from({ length: times }, () => value);

function nested(dice: Dice, depth: number): JsonValue {
  let value: JsonValue = dice.below(10);
  for (; depth > 0; depth--) value = dice.chance(0.5) ? [value] : { a: value };
  return value;
}

/** "__proto__" is an ordinary key of JSON. */
export function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** JSON text of what {@link strangeValue} makes; bigints are written as integers. */
export function toJson(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(toJson).join()}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).filter(([, held]) => held !== undefined);
    return `{${members.map(([key, held]) => `${JSON.stringify(key)}:${toJson(held)}`).join()}}`;
  }
  return JSON.stringify(value) ?? "null";
}

const GOOD: Readonly<Record<ScalarSchema["scalar"], readonly JsonValue[]>> = {
  string: ["", "a", "web", "10.96.0.9", "a.b/c", "*", "Always", "TCP", "Cluster", "None"],
  bool: [true, false],
  int32: [0, 1, -1, 80, 2_147_483_647, -2_147_483_648],
  int64: [0, 1, -1, 3600, 9_223_372_036_854_775_807n],
  float64: [0, 1.5, -1e300],
  bytes: ["", "AAEC"],
  time: ["2026-01-02T03:04:05Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"],
  microTime: ["2026-01-02T03:04:05.000006Z"],
  duration: ["1h", "-1ns"],
  quantity: ["1", "-1m", "1e1000", "9223372036854775807Ei"],
  intOrString: [80, "http", "50%", -1],
  any: [{}, { a: [1] }, 1],
};

/** A value that a schema's types allow; what it means is left to chance. */
export function valueFor(schema: Schema, dice: Dice, depth = 0): JsonValue {
  switch (schema.type) {
    case "scalar": {
      const { enum: known = [] } = schema;
      return known.length > 0 && dice.chance(0.7) ? dice.pick(known) : dice.pick(GOOD[schema.scalar]);
    }
    case "list":
      return Array.from({ length: 1 + dice.below(2) }, () => valueFor(schema.items, dice, depth + 1));
    case "map":
      return Object.fromEntries(
        ["a", "cpu", "constructor"]
          .filter(() => dice.chance(0.4))
          .map((key) => [key, valueFor(schema.values, dice, depth + 1)]),
      );
    case "struct": {
      if (depth > 9) return {};
      const object: JsonObject = {};
      for (const { name, required, schema: field } of schema.fields) {
        if (depth === 0 && (name === "kind" || name === "apiVersion" || name === "metadata")) continue;
        if (dice.chance(required ? 0.9 : Math.max(0.06, 0.5 - depth * 0.09)))
          object[name] = valueFor(field, dice, depth + 1);
      }
      return object;
    }
  }
}

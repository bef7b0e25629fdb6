import type { JsonValue } from "../../meta/json.js";
import { Duration } from "../values/duration.js";
import { intOf, Double, ErrorValue, OptionalValue, typeOf, Uint, type Value } from "../values/value.js";
import { ListValue } from "../values/list.js";
import { MapValue } from "../values/map.js";
import { NativeObject } from "../values/native.js";
import { Timestamp } from "../values/timestamp.js";
import { MadeObject } from "./mutation-types.js";

/** Thrown for a value that JSON cannot represent. */
export class NotJsonError extends Error {}

/** Converts a value to JSON: times and durations to texts, bytes to base64, and constructed objects to objects. Throws {@link NotJsonError}. */
export function valueToJson(value: Value): JsonValue {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof ListValue) return value.toArray().map(valueToJson);
  if (value instanceof MapValue) return objectOf(Array.from(value.keys(), (key) => [keyText(key), value.get(key)]));
  if (value instanceof MadeObject) return objectOf(value.fields);
  if (value instanceof NativeObject) return value.native as JsonValue;
  if (value instanceof Double && Number.isFinite(value.value)) return value.value;
  if (value instanceof Uint) return intOf(value.value);
  if (value instanceof Timestamp || value instanceof Duration) return value.toString();
  if (value instanceof OptionalValue && value.value !== undefined) return valueToJson(value.value);
  throw new NotJsonError(
    value instanceof ErrorValue
      ? value.message
      : `type conversion error from '${typeOf(value)}' to 'google.protobuf.Value'`,
  );
}

function objectOf(entries: Iterable<readonly [string, Value | undefined]>): JsonValue {
  // A null prototype: a field may be named __proto__.
  const result = Object.create(null) as Record<string, JsonValue>;
  for (const [key, field] of entries) if (field !== undefined) result[key] = valueToJson(field);
  return { ...result };
}

function keyText(key: Value): string {
  if (typeof key === "string") return key;
  throw new NotJsonError(`map key "${String(key)}" is of type types.${capitalized(typeOf(key).kind)}, not string`);
}

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

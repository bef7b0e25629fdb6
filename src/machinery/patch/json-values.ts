import { Pace } from "../../base/time/pace.js";
import type { Steps } from "../../base/async/steps.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { noteFields } from "../meta/holds-many.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";

/** Returns an own property only: "constructor" and "__proto__" are ordinary keys of JSON. */
export function getOwn(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Assigns an own property, whatever its name. */
export function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** Copies plain data: lists and objects are new, all other values are shared. */
export function deepCopy<T>(value: T): T;
export function deepCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => deepCopy(item));
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, deepCopy(value[key] as JsonValue));
  return copy;
}

/** {@link deepCopy} in steps. */
export function* deepCopySteps<T extends JsonValue>(value: T, pace = new Pace()): Steps<T> {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) {
      if (pace.isDue()) yield;
      items.push(item === null || typeof item !== "object" ? item : yield* deepCopySteps(item, pace));
    }
    return items as T;
  }
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (pace.isDue()) yield;
    const held = value[key] as JsonValue;
    setOwn(copy, key, held === null || typeof held !== "object" ? held : yield* deepCopySteps(held, pace));
  }
  return copy as T;
}

/** Copies a wide object, whose values are shared, in steps. All steps together take half the time of a spread. */
export function* shallowCopySteps(object: JsonObject, pace: Pace): Steps<JsonObject> {
  const copy: JsonObject = {};
  const keys = Object.keys(object);
  for (const key of keys) {
    if (pace.isDue()) yield;
    setOwn(copy, key, object[key] as JsonValue);
  }
  noteFields(copy, keys.length);
  return copy;
}

/** Compares two values deeply. The order of keys does not matter; 1 and 1.0 are equal, and so are a number and a bigint of the same value. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item: unknown, index) => deepEqual(item, b[index]));
  }
  if (isJsonObject(a)) {
    if (!isJsonObject(b)) return false;
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]))
    );
  }
  return isNumber(a) && isNumber(b) && a == b;
}

/** {@link deepEqual} in steps. */
export function* deepEqualSteps(a: unknown, b: unknown, pace = new Pace()): Steps<boolean> {
  if (a === b) return true;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (const [index, item] of a.entries()) {
      if (pace.isDue()) yield;
      if (item !== b[index] && !(yield* deepEqualSteps(item, b[index], pace))) return false;
    }
    return true;
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return deepEqual(a, b);
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (pace.isDue()) yield;
    if (a[key] === b[key] && a[key] !== undefined) continue;
    if (!Object.hasOwn(b, key) || !(yield* deepEqualSteps(a[key], b[key], pace))) return false;
  }
  return true;
}

const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";

/** A key that is equal for equal scalars; undefined for lists and objects, which never count as equal here. */
export function scalarKey(value: JsonValue | undefined): string | undefined {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return `"${value}`;
  if (typeof value === "object") return undefined;
  return String(value);
}

export type JsonKind = "nil" | "map" | "slice" | "string" | "bool" | "int64" | "float64";

/** Returns the kind to which apimachinery decodes a value. */
export function kindOf(value: JsonValue | undefined): JsonKind {
  if (value === null || value === undefined) return "nil";
  if (Array.isArray(value)) return "slice";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "object") return "map";
  return typeof value === "bigint" || Number.isInteger(value) ? "int64" : "float64";
}

const GO_TYPES: Readonly<Record<JsonKind, string>> = {
  nil: "%!s(<nil>)",
  map: "map[string]interface {}",
  slice: "[]interface {}",
  string: "string",
  bool: "bool",
  int64: "int64",
  float64: "float64",
};

/** Names the Go type of a value for an error message. */
export const goTypeOf = (value: JsonValue | undefined): string => GO_TYPES[kindOf(value)];

/** Formats a value as Go's %v does, for error messages. Keys come in byte order. */
export function formatGo(value: JsonValue | undefined): string {
  const parts: string[] = [];
  writeGo(value, parts);
  return parts.join("");
}

/** In parts, which are joined once: a text made anew at every level costs as much as it is deep. */
function writeGo(value: JsonValue | undefined, parts: string[]): void {
  if (value === null || value === undefined) parts.push("<nil>");
  else if (Array.isArray(value)) {
    parts.push("[");
    for (const [index, item] of value.entries()) {
      if (index > 0) parts.push(" ");
      writeGo(item, parts);
    }
    parts.push("]");
  } else if (isJsonObject(value)) {
    parts.push("map[");
    for (const [index, key] of Object.keys(value).sort(compareKeys).entries()) {
      parts.push(index > 0 ? ` ${key}:` : `${key}:`);
      writeGo(value[key], parts);
    }
    parts.push("]");
  } else parts.push(String(value));
}

/** Formats a text as Go's %s does; a value of another type is shown as Go's error, with its type. */
export const formatGoText = (value: JsonValue): string => (value === null ? "%!s(<nil>)" : formatGoTextWithin(value));

/** A nil within something else is no mistake to Go. */
function formatGoTextWithin(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return `[${value.map(formatGoTextWithin).join(" ")}]`;
  if (isJsonObject(value)) {
    const keys = Object.keys(value).sort(compareKeys);
    return `map[${keys.map((key) => `${key}:${formatGoTextWithin(value[key] as JsonValue)}`).join(" ")}]`;
  }
  return `%!s(${kindOf(value)}=${formatGo(value)})`;
}

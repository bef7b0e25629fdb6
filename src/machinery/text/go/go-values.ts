import { goQuote } from "../../../base/text/go-quote.js";
import { isJsonObject, type JsonValue } from "../../meta/json.js";
import { formatG } from "./format-g.js";

/** Go's name for the type of a decoded JSON value. */
export function goTypeName(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return typeof value === "bigint" || (Number.isInteger(value) && Math.abs(value) < 2 ** 63) ? "int64" : "float64";
}

/** Formats a decoded JSON value as Go's `%v` does: `map[a:1 b:[x <nil>]]`. */
export function goV(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goV).join(" ")}]`;
  if (isJsonObject(value))
    return `map[${sortedEntries(value)
      .map(([key, held]) => `${key}:${goV(held)}`)
      .join(" ")}]`;
  return goScalar(value);
}

export interface SharpOptions {
  /** The type of map keys; goyaml's are `interface {}`. Default: "string". */
  readonly keyType?: "string" | "interface {}";
  /** Every number is a float64, as Go's own decoder of JSON makes them. */
  readonly floats?: boolean;
}

/** Formats a decoded JSON value as Go's `%#v` does. */
export function goSharpV(value: JsonValue, options: SharpOptions = {}): string {
  if (value === null) return "interface {}(nil)";
  if (typeof value === "string") return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map((item) => goSharpV(item, options)).join(", ")}}`;
  if (isJsonObject(value)) {
    const pairs = sortedEntries(value).map(([key, held]) => `${goQuote(key)}:${goSharpV(held, options)}`);
    return `map[${options.keyType ?? "string"}]interface {}{${pairs.join(", ")}}`;
  }
  const isFloat = options.floats === true && typeof value !== "boolean";
  return isFloat ? formatG(Number(value)) : goScalar(value);
}

function goScalar(value: string | number | bigint | boolean): string {
  return typeof value === "number" && goTypeName(value) === "float64" ? formatG(value) : String(value);
}

function sortedEntries(value: { readonly [key: string]: JsonValue }): [string, JsonValue][] {
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

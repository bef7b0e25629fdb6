/** A decoded JSON value. Integers outside ±2^53 are bigint, so that an int64 keeps every digit. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

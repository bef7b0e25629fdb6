import { compareKeys } from "../../base/collections/key-order.js";
import { isJsonObject, type JsonValue } from "./json.js";

/** Returns a copy of the value with the keys of all objects in byte order, as Go writes maps. */
export function sortedByKey(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(sortedByKey);
  if (!isJsonObject(value)) return value as JsonValue;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => compareKeys(a, b))
      .map(([key, held]) => [key, sortedByKey(held)]),
  );
}

import { compareKeys } from "../../base/collections/key-order.js";
import { isJsonObject, type JsonValue } from "./json.js";

/** The value with every object's keys in byte order, as Go writes maps. What is not an object or list is the same. */
export function sortedByKey(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(sortedByKey);
  if (!isJsonObject(value)) return value as JsonValue;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => compareKeys(a, b))
      .map(([key, held]) => [key, sortedByKey(held)]),
  );
}

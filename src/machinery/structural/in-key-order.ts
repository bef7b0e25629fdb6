import { isFields } from "../meta/access.js";
import { setOwn } from "../patch/json-values.js";
import type { JsonObject, JsonValue } from "../meta/json.js";

/** A copy with the keys of objects in order, as Go prints a map: how errors show values. */
export function inKeyOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (!isFields(value)) return value;
  const ordered: JsonObject = {};
  for (const name of Object.keys(value).sort()) setOwn(ordered, name, inKeyOrder(value[name] as JsonValue));
  return ordered;
}

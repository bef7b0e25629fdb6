import type { JsonObject, JsonValue } from "../meta/json.js";
import { deepEqual } from "../patch/json-values.js";

/**
 * managedFields of a change that changed nothing else: the old ones, when the new differ in times only. What is then
 * encoded is what is stored, and nothing is written. `sameObject` is asked only when it matters.
 */
export function withoutNewTimes(
  before: readonly JsonObject[] | undefined,
  after: JsonObject[] | undefined,
  sameObject: () => boolean,
): JsonObject[] | undefined {
  if (before === undefined || after === undefined || before.length !== after.length || after.length === 0) return after;
  const timesChanged = after.some((entry, index) => entry["time"] !== before[index]?.["time"]);
  if (!timesChanged) return after;
  const sameEntries = after.every((entry, index) => deepEqual(timeless(entry), timeless(before[index] ?? {})));
  return sameEntries && sameObject() ? [...before] : after;
}

function timeless(entry: JsonObject): JsonValue {
  const { time: _, ...rest } = entry;
  return rest;
}

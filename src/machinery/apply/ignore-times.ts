import type { Steps } from "../../base/async/steps.js";
import type { JsonObject, JsonValue } from "../meta/json.js";

/** Compares two values, in steps or at once. */
export type Equal = (a: JsonValue, b: JsonValue) => Steps<boolean> | boolean;

/**
 * Returns the old managedFields when the new ones differ only in times and the change changed nothing else, so that the encoded object
 * equals the stored one and nothing is written. `sameObject` is called only when it matters. In steps.
 */
export function* withoutNewTimesSteps(
  before: readonly JsonObject[] | undefined,
  after: JsonObject[] | undefined,
  equal: Equal,
  sameObject: () => Steps<boolean> | boolean,
): Steps<JsonObject[] | undefined> {
  if (before === undefined || after === undefined || before.length !== after.length || after.length === 0) return after;
  const timesChanged = after.some((entry, index) => entry["time"] !== before[index]?.["time"]);
  if (!timesChanged) return after;
  for (const [index, entry] of after.entries()) {
    const found = equal(timeless(entry), timeless(before[index] ?? {}));
    if (!(typeof found === "boolean" ? found : yield* found)) return after;
  }
  const same = sameObject();
  return (typeof same === "boolean" ? same : yield* same) ? [...before] : after;
}

function timeless(entry: JsonObject): JsonValue {
  const { time: _, ...rest } = entry;
  return rest;
}

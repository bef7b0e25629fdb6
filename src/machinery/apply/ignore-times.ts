import type { Steps } from "../../base/async/steps.js";
import type { JsonObject, JsonValue } from "../meta/json.js";

/** Whether two values are equal, in steps or at once. */
export type Equal = (a: JsonValue, b: JsonValue) => Steps<boolean> | boolean;

/**
 * managedFields of a change that changed nothing else: the old ones, when the new differ in times only. What is then
 * encoded is what is stored, and nothing is written. `sameObject` is asked only when it matters. In steps.
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

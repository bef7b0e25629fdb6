import type { JsonObject, JsonValue } from "../../../../src/machinery/meta/json.js";

/** One `kubectl patch --local`: what becomes of `object` is what the real kubectl says. */
export interface Row {
  readonly name: string;
  readonly object: JsonObject;
  readonly patch: JsonValue;
}

/** [name, object, patch] of each. */
export function rows(...list: readonly (readonly [string, JsonObject, JsonValue])[]): readonly Row[] {
  return list.map(([name, object, patch]) => ({ name, object, patch }));
}

import { globalOverload, type Library } from "../functions/declaration.js";
import { STRING } from "../types/type.js";
import { spendSteps } from "../values/meter.js";
import type { Value } from "../values/value.js";

function escapeKey(key: string): Value {
  spendSteps(key.length / 8);
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** `jsonpatch.escapeKey(key)`: the key as a part of a path. Only the expressions of mutating admission policies have it. Source: apiserver's cel/library. */
export const JSON_PATCH: Library = {
  functions: [
    {
      name: "jsonpatch.escapeKey",
      overloads: [globalOverload("string_jsonpatch_escapeKey_string", [STRING], STRING, escapeKey)],
    },
  ],
};

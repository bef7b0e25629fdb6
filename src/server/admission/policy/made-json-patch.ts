import { MadeObject, MadePatch, typeNameProblems } from "../../../machinery/cel/kubernetes/mutation-types.js";
import { NotJsonError, valueToJson } from "../../../machinery/cel/kubernetes/to-json.js";
import { ListValue } from "../../../machinery/cel/values/list.js";
import type { Value } from "../../../machinery/cel/values/value.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import { jsonPatchSteps } from "../../../machinery/patch/json-patch.js";
import { isPatchError } from "../../../machinery/patch/patch-error.js";
import { inSlices } from "../../../base/async/time-slice.js";

/** A policy may have as many operations as it can pay for. */
const LIMITS = { maxOperations: Number.POSITIVE_INFINITY, maxCopiedBytes: 3 * 1024 * 1024 };

/**
 * What the result of a JSONPatch expression makes of an object. Where a `test` of the patch fails the object stays as it is. Rejects with an Error
 * in kube-apiserver's words.
 */
export async function applyMadePatch(object: JsonObject, patch: Value): Promise<JsonValue> {
  const operations = operationsOf(patch);
  try {
    return await inSlices(jsonPatchSteps(object, operations, LIMITS));
  } catch (error) {
    if (!isPatchError(error)) throw error;
    if (error.message.endsWith(": test failed")) return object;
    throw new Error(`JSON Patch: ${error.message}`, { cause: error });
  }
}

function operationsOf(patch: Value): JsonObject[] {
  if (!(patch instanceof ListValue)) {
    throw new Error("type mismatch: JSONPatchType.expression should evaluate to array");
  }
  return patch.toArray().map((one) => {
    if (!(one instanceof MadePatch)) {
      throw new Error("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch");
    }
    return {
      op: one.op,
      path: one.path,
      ...(one.from !== "" && { from: one.from }),
      ...(one.value !== undefined && { value: patchValue(one.value) }),
    };
  });
}

function patchValue(value: Value): JsonValue {
  const problems = value instanceof MadeObject ? typeNameProblems(value, value.type.name) : [];
  if (problems.length > 0) throw new Error(`type mismatch: ${problems.join("\n")}`);
  try {
    return valueToJson(value);
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    const text = "JSONPath valueExpression evaluated to a type that could not marshal to JSON";
    throw new Error(`${text}: ${error.message}`, { cause: error });
  }
}

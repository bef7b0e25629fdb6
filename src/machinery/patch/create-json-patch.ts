import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { deepEqual, getOwn } from "./json-values.js";

/** One step of an RFC 6902 patch, of those that {@link createJsonPatch} makes. */
export type JsonPatchStep =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: string };

/**
 * The JSON patch (RFC 6902) that turns `original` into `modified`. Objects are compared member by member. Lists of the same length are
 * compared item by item, items behind the end are added, and any other list is replaced whole.
 */
export function createJsonPatch(original: JsonValue, modified: JsonValue): JsonPatchStep[] {
  return [...stepsAt("", original, modified)];
}

function* stepsAt(path: string, original: JsonValue, modified: JsonValue): Generator<JsonPatchStep> {
  if (isJsonObject(original) && isJsonObject(modified)) yield* memberSteps(path, original, modified);
  else if (Array.isArray(original) && Array.isArray(modified) && original.length <= modified.length) {
    yield* itemSteps(path, original, modified);
  } else if (!deepEqual(original, modified)) yield { op: "replace", path, value: modified };
}

function* memberSteps(path: string, original: JsonObject, modified: JsonObject): Generator<JsonPatchStep> {
  for (const key of Object.keys(original)) {
    if (!Object.hasOwn(modified, key)) yield { op: "remove", path: below(path, key) };
  }
  for (const key of Object.keys(modified)) {
    const [before, after] = [getOwn(original, key), getOwn(modified, key)];
    if (after === undefined) continue;
    if (before === undefined) yield { op: "add", path: below(path, key), value: after };
    else yield* stepsAt(below(path, key), before, after);
  }
}

function* itemSteps(
  path: string,
  original: readonly JsonValue[],
  modified: readonly JsonValue[],
): Generator<JsonPatchStep> {
  for (const [index, after] of modified.entries()) {
    const before = original[index];
    if (before === undefined) yield { op: "add", path: `${path}/-`, value: after };
    else yield* stepsAt(`${path}/${index}`, before, after);
  }
}

/** A member's JSON pointer (RFC 6901). */
const below = (path: string, key: string): string => `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;

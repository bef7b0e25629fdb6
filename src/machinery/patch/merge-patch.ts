import { Pace } from "../../base/time/pace.js";
import { atOnce, type Steps } from "../../base/async/steps.js";
import { holdsMany } from "../meta/holds-many.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { deepEqual, getOwn, setOwn, shallowCopySteps } from "./json-values.js";
import { PatchConflictError, PatchError } from "./patch-error.js";

/**
 * JSON merge patch (RFC 7386) as kube-apiserver applies it: null removes a field, objects merge, all else replaces.
 * It is stricter than the RFC in one thing: nulls inside objects inside a new list are dropped too. Throws a
 * {@link PatchError} when either document is not an object. Shares what did not change; changes neither argument.
 */
export function applyMergePatch(document: JsonValue, patch: JsonValue): JsonObject {
  return atOnce(mergePatchSteps(document, patch));
}

/** {@link applyMergePatch} in steps. */
export function* mergePatchSteps(document: JsonValue, patch: JsonValue): Steps<JsonObject> {
  if (!isJsonObject(document)) throw new PatchError("Invalid JSON Document", "misfit");
  if (!isJsonObject(patch)) throw new PatchError("Invalid JSON Patch", "malformed");
  return yield* mergeObjects(document, patch, new Pace());
}

function* mergeObjects(document: JsonObject, patch: JsonObject, pace: Pace): Steps<JsonObject> {
  const merged = holdsMany(document) ? yield* shallowCopySteps(document, pace) : { ...document };
  for (const key of Object.keys(patch)) {
    if (pace.isDue()) yield;
    const change = patch[key] as JsonValue;
    if (change === null) delete merged[key];
    else if (typeof change !== "object") setOwn(merged, key, change);
    else setOwn(merged, key, yield* mergeValue(getOwn(merged, key), change, pace));
  }
  return merged;
}

function* mergeValue(current: JsonValue | undefined, change: JsonValue, pace: Pace): Steps<JsonValue> {
  if (!isJsonObject(current)) return yield* dropNulls(change, pace);
  return isJsonObject(change) ? yield* mergeObjects(current, change, pace) : change;
}

function* dropNulls(value: JsonValue, pace: Pace): Steps<JsonValue> {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) {
      if (pace.isDue()) yield;
      items.push(item === null || typeof item !== "object" ? item : yield* dropNulls(item, pace));
    }
    return items;
  }
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (pace.isDue()) yield;
    const item = value[key] as JsonValue;
    if (item === null) continue;
    setOwn(kept, key, typeof item !== "object" ? item : yield* dropNulls(item, pace));
  }
  return kept;
}

/** Computes the merge patch that changes `original` to `modified`; {} when they are equal. A null in `modified` cannot be expressed. */
export function createMergePatch(original: JsonObject, modified: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const [key, after] of Object.entries(modified)) {
    const before = getOwn(original, key);
    if (before === undefined) {
      setOwn(patch, key, after);
    } else if (isJsonObject(before) && isJsonObject(after)) {
      const inner = createMergePatch(before, after);
      if (Object.keys(inner).length > 0) setOwn(patch, key, inner);
    } else if (!deepEqual(before, after)) {
      setOwn(patch, key, after);
    }
  }
  for (const key of Object.keys(original)) if (!Object.hasOwn(modified, key)) setOwn(patch, key, null);
  return patch;
}

/**
 * What `kubectl apply` sends for a kind without merge keys: additions and changes from `current` to `modified`, removals from
 * `original` (what was applied last) to `modified`. `render` writes a patch for the message of a
 * {@link PatchConflictError}, which only contradictory documents cause.
 */
export function createThreeWayJsonMergePatch(
  original: JsonObject,
  modified: JsonObject,
  current: JsonObject,
  render: (patch: JsonObject) => string = (patch) => JSON.stringify(patch),
): JsonObject {
  const changes = keepChanges(createMergePatch(current, modified));
  const removals = keepNulls(createMergePatch(original, modified));
  if (hasConflicts(changes, removals)) {
    throw new PatchConflictError(conflictMessage(render(changes), render(removals)));
  }
  return overlay(removals, changes);
}

export const conflictMessage = (patch: string, current: string): string =>
  `patch:\n${patch}\nconflicts with changes made from original to current:\n${current}\n`;

function keepChanges(patch: JsonObject): JsonObject {
  return filter(patch, (value) => value !== null);
}

function keepNulls(patch: JsonObject): JsonObject {
  return filter(patch, (value) => value === null);
}

/** Keeps leaves, and an object only while something is left in it; an object empty from the start counts as a leaf. */
function filter(patch: JsonObject, keep: (leaf: JsonValue) => boolean): JsonObject {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(patch)) {
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      const inner = filter(value, keep);
      if (Object.keys(inner).length > 0) setOwn(kept, key, inner);
    } else if (keep(value)) {
      setOwn(kept, key, value);
    }
  }
  return kept;
}

/** Whether two patches say different things of one field. */
function hasConflicts(left: JsonValue, right: JsonValue): boolean {
  if (isJsonObject(left)) {
    if (!isJsonObject(right)) return true;
    return Object.entries(left).some(([key, value]) => {
      const other = getOwn(right, key);
      return other !== undefined && hasConflicts(value, other);
    });
  }
  return !deepEqual(left, right);
}

/** Joins two patches that do not conflict; unlike applying one to the other it keeps the nulls of both. */
function overlay(base: JsonObject, top: JsonObject): JsonObject {
  const joined: JsonObject = { ...base };
  for (const [key, value] of Object.entries(top)) {
    const below = getOwn(joined, key);
    setOwn(
      joined,
      key,
      isJsonObject(below) && isJsonObject(value) ? overlay(below, value) : atOnce(mergeValue(below, value, new Pace())),
    );
  }
  return joined;
}

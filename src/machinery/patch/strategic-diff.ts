import { compareKeys } from "../../base/collections/key-order.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { deepEqual, formatGo, getOwn, kindOf, setOwn } from "./json-values.js";
import { conflictMessage } from "./merge-patch.js";
import {
  deduplicate,
  DELETE_FROM_PRIMITIVE_LIST,
  DIRECTIVE,
  elementKind,
  mergeKeyOf,
  RETAIN_KEYS,
  sameOrder,
  SET_ELEMENT_ORDER,
  sortByMergeKey,
  sortByOrder,
  sortScalars,
} from "./merge-lists.js";
import { PatchConflictError, PatchError } from "./patch-error.js";
import { type PatchSchema, lookup } from "./strategic-schema.js";
import { strategicPatchesConflict } from "./strategic-conflict.js";
import { joinStrategicPatches } from "./strategic-merge.js";

/** Computes the strategic merge patch that changes `original` to `modified`; {} when they are equal. */
export function createTwoWayMergePatch(original: JsonObject, modified: JsonObject, schema?: PatchSchema): JsonObject {
  return diffMaps(original, modified, schema, { setElementOrder: true });
}

export interface ThreeWayOptions {
  /** Without it a field that both sides changed since `original` throws a {@link PatchConflictError}. */
  readonly overwrite: boolean;
  /** Writes a patch for that error's message; kubectl writes YAML. */
  readonly render?: (patch: JsonObject) => string;
}

/**
 * What `kubectl apply` sends: additions and changes from `current` to `modified`, and removals from `original` (what was
 * applied last) to `modified`; what others set in `current` stays. Encoded with sorted keys it is kubectl's patch byte for
 * byte. Throws a {@link PatchError} where apimachinery does. Changes none of its arguments.
 */
export function createThreeWayMergePatch(
  original: JsonObject,
  modified: JsonObject,
  current: JsonObject,
  schema: PatchSchema | undefined,
  { overwrite, render = (patch) => JSON.stringify(patch) }: ThreeWayOptions,
): JsonObject {
  const changes = diffMaps(current, modified, schema, { ignoreDeletions: true, setElementOrder: true });
  const deletions = diffMaps(original, modified, schema, { ignoreChanges: true, setElementOrder: true });
  const patch = joinStrategicPatches(deletions, changes, schema);
  if (!overwrite) {
    const theirs = diffMaps(original, current, schema, {});
    if (strategicPatchesConflict(patch, theirs, schema)) {
      throw new PatchConflictError(conflictMessage(render(patch), render(theirs)));
    }
  }
  return patch;
}

interface DiffOptions {
  readonly setElementOrder?: boolean;
  /** Says only what was removed. */
  readonly ignoreChanges?: boolean;
  /** Says only what was added or changed. */
  readonly ignoreDeletions?: boolean;
  readonly retainKeys?: boolean;
}

function diffMaps(
  original: JsonObject,
  modified: JsonObject,
  schema: PatchSchema | undefined,
  options: DiffOptions,
): JsonObject {
  const patch: JsonObject = {};
  for (const [key, after] of Object.entries(modified)) {
    const before = getOwn(original, key);
    if (before === undefined) {
      if (!options.ignoreChanges) setOwn(patch, key, after);
    } else if (key === DIRECTIVE) {
      diffDirective(patch, before, after);
    } else if (isJsonObject(before) && isJsonObject(after)) {
      diffMapField(patch, key, before, after, schema, options);
    } else if (Array.isArray(before) && Array.isArray(after)) {
      diffListField(patch, key, before, after, schema, options);
    } else if (!options.ignoreChanges && !(kindOf(before) === kindOf(after) && deepEqual(before, after))) {
      setOwn(patch, key, after);
    }
  }
  if (!options.ignoreDeletions) {
    for (const key of Object.keys(original)) if (!Object.hasOwn(modified, key)) setOwn(patch, key, null);
  }
  if (options.retainKeys) addRetainKeys(patch, original, modified);
  return patch;
}

function diffDirective(patch: JsonObject, before: JsonValue, after: JsonValue): void {
  if (typeof before !== "string" || typeof after !== "string") {
    throw new PatchError(`invalid value for special key: ${DIRECTIVE}`);
  }
  if (before !== after) patch[DIRECTIVE] = after;
}

/** Said when the patch changes something here, or when something set would otherwise stay. */
function addRetainKeys(patch: JsonObject, original: JsonObject, modified: JsonObject): void {
  const kept = Object.keys(modified).filter((key) => modified[key] !== null);
  if (kept.length === 0) return;
  const leftovers = Object.entries(original).some(([key, value]) => value !== null && !Object.hasOwn(modified, key));
  if (leftovers || Object.keys(patch).length > 0) patch[RETAIN_KEYS] = sortScalars(kept);
}

function diffMapField(
  patch: JsonObject,
  key: string,
  before: JsonObject,
  after: JsonObject,
  schema: PatchSchema | undefined,
  options: DiffOptions,
): void {
  const known = lookupUnlessEqual(schema, key, before, after);
  if (known === undefined) return;
  if (known.strategy === "replace") {
    if (!options.ignoreChanges) setOwn(patch, key, after);
    return;
  }
  const inner = diffMaps(before, after, known.schema, { ...options, retainKeys: known.retainKeys });
  if (Object.keys(inner).length > 0) setOwn(patch, key, inner);
}

/** undefined when the type has no such field but nothing changed in it: then its strategy does not matter. */
function lookupUnlessEqual(
  schema: PatchSchema | undefined,
  key: string,
  before: JsonValue,
  after: JsonValue,
): ReturnType<typeof lookup> | undefined {
  try {
    return lookup(schema, key, Array.isArray(after) ? "list" : "map");
  } catch (error) {
    if (deepEqual(before, after)) return undefined;
    throw error;
  }
}

function diffListField(
  patch: JsonObject,
  key: string,
  before: JsonValue[],
  after: JsonValue[],
  schema: PatchSchema | undefined,
  options: DiffOptions,
): void {
  const known = lookupUnlessEqual(schema, key, before, after);
  if (known === undefined) return;
  if (known.strategy !== "merge") {
    if (!options.ignoreChanges && !deepEqual(before, after)) setOwn(patch, key, after);
    return;
  }
  const list = diffLists(before, after, known.schema, known.mergeKey, { ...options, retainKeys: known.retainKeys });
  if (list.patch.length > 0) setOwn(patch, key, [...list.patch]);
  if (list.deletions.length > 0) patch[`${DELETE_FROM_PRIMITIVE_LIST}/${key}`] = [...list.deletions];
  if (list.order.length > 0) patch[`${SET_ELEMENT_ORDER}/${key}`] = [...list.order];
}

interface ListDiff {
  readonly patch: readonly JsonValue[];
  /** Scalars to take out. */
  readonly deletions: readonly JsonValue[];
  /** What `$setElementOrder` is to say; empty: nothing. */
  readonly order: readonly JsonValue[];
}

const NO_DIFF: ListDiff = { patch: [], deletions: [], order: [] };

function diffLists(
  original: readonly JsonValue[],
  modified: readonly JsonValue[],
  schema: PatchSchema | undefined,
  mergeKey: string,
  options: DiffOptions,
): ListDiff {
  if (original.length === 0) {
    return modified.length === 0 || options.ignoreChanges ? NO_DIFF : { ...NO_DIFF, patch: modified };
  }
  return elementKind(original, modified) === "map"
    ? diffListsOfMaps(original, modified, schema, mergeKey, options)
    : diffListsOfScalars(original, modified, options);
}

function diffListsOfMaps(
  original: readonly JsonValue[],
  modified: readonly JsonValue[],
  schema: PatchSchema | undefined,
  mergeKey: string,
  options: DiffOptions,
): ListDiff {
  const { changes, deletions } = pairByMergeKey(original, modified, schema, mergeKey, options);
  const patch = [...sortByOrder(changes, modified, mergeKey), ...deletions];
  const reordered = !sameOrder(original, modified, mergeKey);
  const speaks = options.ignoreChanges ? !options.ignoreDeletions && patch.length > 0 : patch.length > 0 || reordered;
  if (!options.setElementOrder || !speaks) return { patch, deletions: [], order: [] };
  const order = modified.map((item) => {
    const named: JsonObject = {};
    setOwn(named, mergeKey, getOwn(item as JsonObject, mergeKey) ?? null);
    return named;
  });
  return { patch, deletions: [], order };
}

/** Walks both lists in the order of their merge keys. */
function pairByMergeKey(
  original: readonly JsonValue[],
  modified: readonly JsonValue[],
  schema: PatchSchema | undefined,
  mergeKey: string,
  options: DiffOptions,
): { readonly changes: readonly JsonValue[]; readonly deletions: readonly JsonValue[] } {
  const changes: JsonObject[] = [];
  const deletions: JsonObject[] = [];
  const before = sortByMergeKey(original, mergeKey);
  const after = sortByMergeKey(modified, mergeKey);
  let i = 0;
  let j = 0;
  for (let old = before[i], now = after[j]; old !== undefined || now !== undefined; old = before[i], now = after[j]) {
    const order = compareElements(old, now, mergeKey);
    if (order === 0 && old !== undefined && now !== undefined) {
      const change = diffMaps(old, now, schema, options);
      if (Object.keys(change).length > 0) {
        setOwn(change, mergeKey, getOwn(now, mergeKey) ?? null);
        changes.push(change);
      }
      i++;
      j++;
    } else if (now !== undefined && order > 0) {
      if (!options.ignoreChanges) changes.push(now);
      j++;
    } else if (old !== undefined) {
      if (!options.ignoreDeletions) deletions.push(deletionOf(old, mergeKey));
      i++;
    }
  }
  return { changes, deletions };
}

/** Positive when only `now` is there or it comes first, negative for `old`. Throws when one has no merge key. */
function compareElements(old: JsonObject | undefined, now: JsonObject | undefined, mergeKey: string): number {
  for (const element of [old, now]) if (element !== undefined) mergeKeyOf(element, mergeKey);
  if (old === undefined) return 1;
  if (now === undefined) return -1;
  return compareKeys(formatGo(getOwn(old, mergeKey)), formatGo(getOwn(now, mergeKey)));
}

function deletionOf(element: JsonObject, mergeKey: string): JsonObject {
  const deletion: JsonObject = { [DIRECTIVE]: "delete" };
  setOwn(deletion, mergeKey, getOwn(element, mergeKey) ?? null);
  return deletion;
}

function diffListsOfScalars(
  original: readonly JsonValue[],
  modified: readonly JsonValue[],
  options: DiffOptions,
): ListDiff {
  const before = sortScalars(original);
  const after = sortScalars(modified);
  const added: JsonValue[] = [];
  const removed: JsonValue[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const order = compareTexts(before, i, after, j);
    if (order >= 0 && j < after.length) {
      if (order > 0) added.push(after[j] as JsonValue);
      j++;
    }
    if (order <= 0 && i < before.length) {
      if (order < 0) removed.push(before[i] as JsonValue);
      i++;
    }
  }
  const deletions = options.ignoreDeletions ? [] : deduplicate(removed);
  // The reference compares with `original` after sorting it in place, so an unsorted but unchanged list is reordered too.
  const changed = !options.ignoreChanges && !deepEqual(before, [...modified]);
  return {
    patch: options.ignoreChanges ? [] : sortByOrder(added, modified, ""),
    deletions,
    order: options.setElementOrder && (deletions.length > 0 || changed) ? modified : [],
  };
}

function compareTexts(before: readonly JsonValue[], i: number, after: readonly JsonValue[], j: number): number {
  if (i >= before.length) return 1;
  if (j >= after.length) return -1;
  return compareKeys(formatGo(before[i]), formatGo(after[j]));
}

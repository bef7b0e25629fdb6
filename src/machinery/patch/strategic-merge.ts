import { Pace } from "../../base/time/pace.js";
import { atOnce, type Steps } from "../../base/async/steps.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { deepEqual, formatGo, formatGoText, getOwn, kindOf, setOwn } from "./json-values.js";
import {
  badElementOrder,
  badPrimitiveList,
  badRetainKeys,
  checkElementOrder,
  deduplicate,
  DELETE_FROM_PRIMITIVE_LIST,
  DIRECTIVE,
  elementKind,
  identity,
  mergeKeyOf,
  noMergeKey,
  normalizeOrder,
  partition,
  requireList,
  RETAIN_KEYS,
  SET_ELEMENT_ORDER,
} from "./merge-lists.js";
import { PatchError } from "./patch-error.js";
import { type PatchSchema, lookup } from "./strategic-schema.js";

/**
 * Applies a strategic merge patch as kube-apiserver does it: lists merge by their merge key where the schema says so;
 * `$patch`, `$retainKeys`, `$deleteFromPrimitiveList/x` and `$setElementOrder/x` are obeyed; nulls remove.
 * Throws a {@link PatchError} with apimachinery's text. Shares what did not change; changes neither argument.
 */
export function strategicMergePatch(original: JsonObject, patch: JsonObject, schema?: PatchSchema): JsonObject {
  return atOnce(strategicMergeSteps(original, patch, schema));
}

/** {@link strategicMergePatch} in steps. */
export const strategicMergeSteps = (original: JsonObject, patch: JsonObject, schema?: PatchSchema): Steps<JsonObject> =>
  mergeMaps(original, patch, schema, { apply: true, pace: new Pace() });

/** Joins two patches into one with the effect of both; it keeps directives and nulls. The patches must not conflict. */
export function joinStrategicPatches(first: JsonObject, second: JsonObject, schema?: PatchSchema): JsonObject {
  return atOnce(mergeMaps(first, second, schema, { apply: false, pace: new Pace() }));
}

interface Mode {
  /** Directives are obeyed rather than carried over, and a null removes. */
  readonly apply: boolean;
  readonly pace: Pace;
}

function* mergeMaps(
  original: JsonObject,
  patch: JsonObject,
  schema: PatchSchema | undefined,
  mode: Mode,
): Steps<JsonObject> {
  const directive = getOwn(patch, DIRECTIVE);
  if (directive !== undefined) return obeyMapDirective(directive, patch);
  const merged: JsonObject = { ...original };
  const rest: JsonObject = { ...patch };
  retainKeys(merged, rest, mode);
  yield* mergeOrderedLists(merged, rest, schema, mode);
  for (const key of Object.keys(rest)) {
    if (mode.pace.isDue()) yield;
    yield* mergeKey(merged, key, rest[key] as JsonValue, schema, mode);
  }
  return merged;
}

function obeyMapDirective(directive: JsonValue, patch: JsonObject): JsonObject {
  if (directive === "replace") {
    const { [DIRECTIVE]: _directive, ...replacement } = patch;
    return replacement;
  }
  if (directive === "delete") return {};
  throw badDirective(directive, patch);
}

const badDirective = (directive: JsonValue, patch: JsonObject): PatchError =>
  new PatchError(`unknown patch type: ${formatGoText(directive)} in map: ${formatGo(patch)}`);

/** Takes `$retainKeys` out of `patch` and drops what it does not name from `merged`. */
function retainKeys(merged: JsonObject, patch: JsonObject, mode: Mode): void {
  const named = getOwn(patch, RETAIN_KEYS);
  if (named === undefined) return;
  delete patch[RETAIN_KEYS];
  if (!mode.apply) {
    const already = getOwn(merged, RETAIN_KEYS);
    if (already !== undefined && !deepEqual(already, named)) {
      const text = `${formatGo(already)} and ${formatGo(named)} are not deep equal: this may happen when calculating the 3-way diff patch`;
      throw new PatchError(text);
    }
    merged[RETAIN_KEYS] = named;
    return;
  }
  if (!Array.isArray(named)) throw badRetainKeys();
  const keep = new Set<JsonValue>(named);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(DELETE_FROM_PRIMITIVE_LIST) || key.startsWith(SET_ELEMENT_ORDER)) continue;
    if (!keep.has(key)) throw badRetainKeys();
  }
  for (const key of Object.keys(merged)) if (!keep.has(key)) delete merged[key];
}

/** Takes each `$setElementOrder/x` with its list x out of `patch`, and puts the merged and ordered list into `merged`. */
function* mergeOrderedLists(
  merged: JsonObject,
  patch: JsonObject,
  schema: PatchSchema | undefined,
  mode: Mode,
): Steps<void> {
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(SET_ELEMENT_ORDER)) continue;
    const value = patch[key] as JsonValue;
    if (!mode.apply) {
      const already = getOwn(merged, key);
      if (already !== undefined && !deepEqual(already, value)) throw badElementOrder();
      merged[key] = value;
    }
    delete patch[key];
    const order = requireList(value);
    const name = directiveTarget(key, SET_ELEMENT_ORDER, badElementOrder);
    const known = lookup(schema, name, "list");
    const list = yield* mergeOrderedList(getOwn(merged, name), getOwn(patch, name), order, known, mode);
    if (list === undefined) continue;
    setOwn(merged, name, list);
    delete patch[name];
  }
}

function* mergeOrderedList(
  original: JsonValue | undefined,
  patch: JsonValue | undefined,
  order: readonly JsonValue[],
  { schema, strategy, mergeKey }: ReturnType<typeof lookup>,
  mode: Mode,
): Steps<JsonValue[] | undefined> {
  const before = original === undefined ? [] : requireList(original);
  const changes = patch === undefined ? [] : requireList(patch);
  checkElementOrder(changes, order, mergeKey);
  let merged: readonly JsonValue[];
  let serverOrder = before;
  if (original !== undefined && patch !== undefined) {
    ({ merged, serverOrder } = yield* mergeLists(before, changes, schema, strategy === "merge", mergeKey, false, mode));
  } else if (original !== undefined) {
    merged = before;
  } else if (patch !== undefined) {
    merged = (yield* withoutDirectives([...changes], mode.pace)) as JsonValue[];
  } else {
    return undefined;
  }
  yield;
  const { present, absent } = partition(merged, order, mergeKey);
  elementKind(before, changes);
  yield;
  return normalizeOrder(present, absent, order, serverOrder, mergeKey);
}

function directiveTarget(key: string, prefix: string, malformed: () => PatchError): string {
  const slash = key.indexOf("/");
  if (slash < 0 || key.slice(0, slash) !== prefix) throw malformed();
  return key.slice(slash + 1);
}

function* mergeKey(
  merged: JsonObject,
  patchKey: string,
  change: JsonValue,
  schema: PatchSchema | undefined,
  mode: Mode,
): Steps<void> {
  const isDeleteList = patchKey.startsWith(DELETE_FROM_PRIMITIVE_LIST);
  if (isDeleteList && !mode.apply) return setOwn(merged, patchKey, change);
  const key = isDeleteList ? directiveTarget(patchKey, DELETE_FROM_PRIMITIVE_LIST, badPrimitiveList) : patchKey;
  if (change === null) {
    delete merged[key];
    if (mode.apply) return;
  }
  const current = getOwn(merged, key);
  if (current === undefined || kindOf(current) !== kindOf(change)) {
    if (!isDeleteList)
      yield* place(merged, key, mode.apply ? yield* withoutNulls(change, mode.pace) : change, mode.pace);
  } else if (isJsonObject(current) && isJsonObject(change)) {
    const { schema: inner, strategy } = lookup(schema, key, "map");
    setOwn(merged, key, strategy === "replace" ? change : yield* mergeMaps(current, change, inner, mode));
  } else if (Array.isArray(current) && Array.isArray(change)) {
    const { schema: inner, strategy, mergeKey: name } = lookup(schema, key, "list");
    const lists = yield* mergeLists(current, change, inner, strategy === "merge", name, isDeleteList, mode);
    setOwn(merged, key, [...lists.merged]);
  } else {
    yield* place(merged, key, change, mode.pace);
  }
}

function* place(merged: JsonObject, key: string, value: JsonValue, pace: Pace): Steps<void> {
  const clean = yield* withoutDirectives(value, pace);
  if (clean === undefined) delete merged[key];
  else setOwn(merged, key, clean);
}

/** undefined when the value itself is an object with a directive. */
function* withoutDirectives(value: JsonValue, pace: Pace): Steps<JsonValue | undefined> {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) {
      if (pace.isDue()) yield;
      const clean = isScalar(item) ? item : yield* withoutDirectives(item, pace);
      if (clean !== undefined) items.push(clean);
    }
    return items;
  }
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const clean: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (pace.isDue()) yield;
    const item = value[key] as JsonValue;
    if (isScalar(item)) setOwn(clean, key, item);
    else yield* place(clean, key, item, pace);
  }
  return clean;
}

function* withoutNulls(value: JsonValue, pace: Pace): Steps<JsonValue> {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) {
      if (pace.isDue()) yield;
      items.push(isScalar(item) ? item : yield* withoutNulls(item, pace));
    }
    return items;
  }
  const clean: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (pace.isDue()) yield;
    const item = value[key] as JsonValue;
    if (item !== null) setOwn(clean, key, isScalar(item) ? item : yield* withoutNulls(item, pace));
  }
  return clean;
}

const isScalar = (value: JsonValue): boolean => value === null || typeof value !== "object";

interface MergedList {
  readonly merged: readonly JsonValue[];
  /** What counts as the order of the server's list afterwards. */
  readonly serverOrder: readonly JsonValue[];
}

function* mergeLists(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  schema: PatchSchema | undefined,
  merges: boolean,
  mergeKey: string,
  isDeleteList: boolean,
  mode: Mode,
): Steps<MergedList> {
  if (!merges && !isDeleteList) return { merged: patch, serverOrder: original };
  if (original.length === 0 && patch.length === 0) return { merged: original, serverOrder: original };
  if (elementKind(original, patch) === "scalar") {
    return { merged: mergeScalars(original, patch, mergeKey, isDeleteList && mode.apply), serverOrder: original };
  }
  if (mergeKey === "") throw new PatchError("cannot merge lists without merge key for struct");
  const { base, additions } = obeyListDirectives(original, patch, mergeKey);
  yield;
  const all = yield* mergeElements(base, additions, schema, mergeKey, mode);
  yield;
  const { present, absent } = partition(all, additions, mergeKey);
  yield;
  const merged = normalizeOrder(present, absent, additions, base, mergeKey);
  // In the reference implementation new elements take the places of deleted ones in the server's list.
  return { merged, serverOrder: all.slice(0, original.length) };
}

function mergeScalars(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  mergeKey: string,
  deletes: boolean,
): readonly JsonValue[] {
  if (deletes) return partition(original, patch, "").absent;
  // With a merge key objects belong here, and scalars are refused.
  const { present, absent } = partition(deduplicate([...original, ...patch]), patch, mergeKey);
  return normalizeOrder(present, absent, patch, original, mergeKey);
}

/** Obeys the `$patch` of single elements: what is left to merge into, and what is left to merge. */
function obeyListDirectives(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  mergeKey: string,
): { readonly base: readonly JsonValue[]; readonly additions: readonly JsonValue[] } {
  const additions: JsonValue[] = [];
  const gone = new Set<string | undefined>();
  let replace = false;
  for (const item of patch) {
    const map = item as JsonObject;
    const directive = getOwn(map, DIRECTIVE);
    if (directive === undefined) {
      additions.push(item);
    } else if (directive === "delete") {
      if (!Object.hasOwn(map, mergeKey)) throw noMergeKey(map, mergeKey);
      gone.add(identity(map, mergeKey));
    } else if (directive === "replace") {
      replace = true;
    } else if (directive === "merge") {
      throw new PatchError("merging lists cannot yet be specified in the patch");
    } else {
      throw badDirective(directive, map);
    }
  }
  if (replace) return { base: additions, additions: [] };
  const stays = (element: JsonValue): boolean => !hasKey(element, mergeKey) || !gone.has(identity(element, mergeKey));
  return { base: gone.size === 0 ? original : original.filter(stays), additions };
}

const hasKey = (element: JsonValue, mergeKey: string): boolean =>
  isJsonObject(element) && Object.hasOwn(element, mergeKey);

function* mergeElements(
  base: readonly JsonValue[],
  additions: readonly JsonValue[],
  schema: PatchSchema | undefined,
  mergeKey: string,
  mode: Mode,
): Steps<readonly JsonValue[]> {
  const merged = [...base];
  const at = new Map<string, number>();
  const remember = (element: JsonValue, index: number): void => {
    const key = hasKey(element, mergeKey) ? identity(element, mergeKey) : undefined;
    if (key !== undefined && !at.has(key)) at.set(key, index);
  };
  merged.forEach(remember);
  for (const item of additions) {
    if (mode.pace.isDue()) yield;
    const key = mergeKeyOf(item, mergeKey);
    const index = key === undefined ? undefined : at.get(key);
    if (index === undefined) {
      remember(item, merged.push(item) - 1);
    } else {
      merged[index] = yield* mergeMaps(merged[index] as JsonObject, item as JsonObject, schema, mode);
    }
  }
  return merged;
}

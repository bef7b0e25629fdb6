import { compareKeys } from "../../base/collections/key-order.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { formatGo, getOwn, goTypeOf, kindOf, scalarKey } from "./json-values.js";
import { PatchError } from "./patch-error.js";

// What strategic merge and strategic diff know of lists: elements found by merge key, and orders put together.

export const DIRECTIVE = "$patch";
export const RETAIN_KEYS = "$retainKeys";
export const DELETE_FROM_PRIMITIVE_LIST = "$deleteFromPrimitiveList";
export const SET_ELEMENT_ORDER = "$setElementOrder";

export const badRetainKeys = (): PatchError => new PatchError("invalid patch format of retainKeys", "malformed");
export const badElementOrder = (): PatchError =>
  new PatchError("invalid patch format of setElementOrder list", "malformed");
export const badPrimitiveList = (): PatchError => new PatchError("invalid patch format of primitive list", "malformed");
export const noMergeKey = (item: JsonObject, mergeKey: string): PatchError =>
  new PatchError(`map: ${formatGo(item)} does not contain declared merge key: ${mergeKey}`);

export function requireMap(value: JsonValue | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  throw new PatchError(`expected a map[string]interface {}, but received a ${goTypeOf(value)}`);
}

export function requireList(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  throw new PatchError(`expected a []interface {}, but received a ${goTypeOf(value)}`);
}

/** The value of an element's merge key, as a text for comparison. Throws when the element has none. */
export function mergeKeyOf(item: JsonValue, mergeKey: string): string | undefined {
  const map = requireMap(item);
  const value = getOwn(map, mergeKey);
  if (value === undefined) throw noMergeKey(map, mergeKey);
  return scalarKey(value);
}

/** The identity of a list's element: its merge key in a list of objects, its own value in a list of scalars. */
export function identity(item: JsonValue, mergeKey: string): string | undefined {
  if (mergeKey === "") return scalarKey(item);
  return isJsonObject(item) ? scalarKey(getOwn(item, mergeKey)) : undefined;
}

/** Whether all elements are objects ("map") or scalars of one type. Throws on lists in lists, a mixture, or nothing at all. */
export function elementKind(...lists: readonly (readonly JsonValue[])[]): "map" | "scalar" {
  const items = lists.flat(1);
  const [first] = items;
  if (first === undefined) throw new PatchError("no elements in any of the given slices");
  const kind = kindOf(first);
  if (kind === "slice") throw new PatchError("lists of lists are not supported", "doesNotApply");
  if (items.some((item) => kindOf(item) !== kind)) {
    throw new PatchError(`list element types are not identical: ${formatGo(lists as JsonValue[])}`);
  }
  return kind === "map" ? "map" : "scalar";
}

/** Index of the first element of each identity. */
function positions(order: readonly JsonValue[], mergeKey: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  order.forEach((item, index) => {
    const key = identity(item, mergeKey);
    if (key !== undefined && !found.has(key)) found.set(key, index);
  });
  return found;
}

const positionOf = (at: ReadonlyMap<string, number>, item: JsonValue, mergeKey: string): number => {
  const key = identity(item, mergeKey);
  return (key === undefined ? undefined : at.get(key)) ?? -1;
};

export const isDeletion = (item: JsonValue): boolean => isJsonObject(item) && getOwn(item, DIRECTIVE) === "delete";

/** Sorts `list` in the order of `order`, with deletions last. */
export function sortByOrder(
  list: readonly JsonValue[],
  order: readonly JsonValue[],
  mergeKey: string,
): readonly JsonValue[] {
  if (mergeKey !== "") for (const item of [...list, ...order]) mergeKeyOf(item, mergeKey);
  const deletions = mergeKey === "" ? [] : list.filter(isDeletion);
  const kept = mergeKey === "" ? [...list] : list.filter((item) => !isDeletion(item));
  const at = positions(order, mergeKey);
  const ranked = kept.map((item) => ({ item, rank: positionOf(at, item, mergeKey) }));
  if (ranked.every(({ rank }) => rank >= 0)) ranked.sort((a, b) => a.rank - b.rank);
  else goStableSort(ranked, (a, b) => a.rank < 0 || b.rank < 0 || a.rank < b.rank);
  return [...ranked.map(({ item }) => item), ...deletions];
}

/**
 * Merges elements that only the server has into the patched ones. Each list keeps its order; two elements that are both in
 * `serverOrder` follow that. `patched` follows `patchOrder`.
 */
export function normalizeOrder(
  patched: readonly JsonValue[],
  serverOnly: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  serverOrder: readonly JsonValue[],
  mergeKey: string,
): JsonValue[] {
  const right = sortByOrder(patched, patchOrder, mergeKey);
  const left = sortByOrder(serverOnly, serverOrder, mergeKey);
  const at = positions(serverOrder, mergeKey);
  const merged: JsonValue[] = [];
  let i = 0;
  for (const item of right) {
    const place = positionOf(at, item, mergeKey);
    while (i < left.length) {
      const candidate = left[i] as JsonValue;
      const before = positionOf(at, candidate, mergeKey);
      if (place < 0 || before < 0 || before >= place) break;
      merged.push(candidate);
      i++;
    }
    merged.push(item);
  }
  return [...merged, ...left.slice(i)];
}

/** Splits `list` into the elements that `by` holds too, and the others. */
export function partition(
  list: readonly JsonValue[],
  by: readonly JsonValue[],
  mergeKey: string,
): { readonly present: readonly JsonValue[]; readonly absent: readonly JsonValue[] } {
  if (mergeKey !== "") {
    for (const item of list) mergeKeyOf(item, mergeKey);
    by.forEach(requireElementMap);
  }
  const at = positions(by, mergeKey);
  const present = list.filter((item) => positionOf(at, item, mergeKey) >= 0);
  const absent = list.filter((item) => positionOf(at, item, mergeKey) < 0);
  return { present, absent };
}

export function requireElementMap(item: JsonValue, index: number): void {
  if (!isJsonObject(item)) throw new PatchError(`value for key ${index} is not a map`);
}

/** Removes later duplicates, each time moving the last element into the gap, as apimachinery does. */
export function deduplicate(list: readonly JsonValue[]): JsonValue[] {
  const kept = [...list];
  const keys = list.map(scalarKey);
  const places = new Map<string | undefined, number[]>();
  const remember = (place: number): void => {
    const known = places.get(keys[place]);
    if (known === undefined) places.set(keys[place], [place]);
    else known.push(place);
  };
  for (const place of keys.keys()) remember(place);
  if (places.size === kept.length) return kept;
  for (let i = 0; i < kept.length; i++) {
    const key = keys[i];
    const [, ...later] = (places.get(key) ?? []).sort((a, b) => a - b);
    for (const place of later) {
      while (place > i && place < kept.length && keys[place] === key) {
        const last = kept.length - 1;
        const moved = kept.pop() as JsonValue;
        if (place === last) break;
        kept[place] = moved;
        keys[place] = keys[last];
        if (keys[place] !== key) remember(place);
      }
    }
  }
  return kept;
}

/** Sorts scalars by the text that Go would print for them. */
export const sortScalars = (list: readonly JsonValue[]): JsonValue[] =>
  [...list].sort((a, b) => compareKeys(formatGo(a), formatGo(b)));

/** Sorts objects by merge key. Elements with the same key come out in reverse order, which is how kubectl pairs duplicates. */
export function sortByMergeKey(list: readonly JsonValue[], mergeKey: string): JsonObject[] {
  const ranked = list.map((item) => {
    const map = requireMap(item);
    return { map, key: formatGo(getOwn(map, mergeKey)) };
  });
  ranked.reverse();
  return ranked.sort((a, b) => compareKeys(a.key, b.key)).map(({ map }) => map);
}

/** Items that Go's stable sort puts in order by insertion, before it merges them. */
const INSERTED = 20;

/** Go's sort.SliceStable: the outcome for an order that is not one depends on the algorithm. */
function goStableSort<T>(list: T[], less: (a: T, b: T) => boolean): void {
  for (let from = 0; from < list.length; from += INSERTED) {
    insertionSort(list, from, Math.min(from + INSERTED, list.length), less);
  }
  for (let size = INSERTED; size < list.length; size *= 2) {
    for (let from = 0; from + size < list.length; from += 2 * size) {
      symMerge(list, from, from + size, Math.min(from + 2 * size, list.length), less);
    }
  }
}

function insertionSort<T>(list: T[], from: number, to: number, less: (a: T, b: T) => boolean): void {
  for (let i = from + 1; i < to; i++) {
    for (let j = i; j > from && less(list[j] as T, list[j - 1] as T); j--) {
      [list[j], list[j - 1]] = [list[j - 1] as T, list[j] as T];
    }
  }
}

/** Merges two sorted runs in place, [from, middle) and [middle, to) (Kim and Kutzner, "Stable Minimum Storage Merging", 2004). */
function symMerge<T>(list: T[], from: number, middle: number, to: number, less: (a: T, b: T) => boolean): void {
  const isLess = (a: number, b: number): boolean => less(list[a] as T, list[b] as T);
  if (middle - from === 1) {
    rotate(
      list,
      from,
      middle,
      firstWhere(middle, to, (place) => !isLess(place, from)),
    );
  } else if (to - middle === 1) {
    rotate(
      list,
      firstWhere(from, middle, (place) => isLess(middle, place)),
      middle,
      to,
    );
  } else {
    const half = Math.floor((from + to) / 2);
    const sum = half + middle;
    const [low, high] = middle > half ? [sum - to, half] : [from, middle];
    const start = firstWhere(low, high, (place) => isLess(sum - 1 - place, place));
    const end = sum - start;
    if (start < middle && middle < end) rotate(list, start, middle, end);
    if (from < start && start < half) symMerge(list, from, start, half, less);
    if (half < end && end < to) symMerge(list, half, end, to, less);
  }
}

/** The first place in [low, high) of which `isTrue`, and of which it is true that it is so of all places after it; `high` for none. */
function firstWhere(low: number, high: number, isTrue: (place: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (isTrue(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Lets [from, middle) and [middle, to) change places. */
function rotate<T>(list: T[], from: number, middle: number, to: number): void {
  const first = list.slice(from, middle);
  list.copyWithin(from, middle, to);
  for (const [index, item] of first.entries()) list[from + (to - middle) + index] = item;
}

/** Checks that the items of `patch`, except deletions, are in `order`, in the same order. */
export function checkElementOrder(patch: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  if (mergeKey !== "") patch.forEach((item) => requireMap(item));
  const kept = mergeKey === "" ? patch : patch.filter((item) => !isDeletion(item));
  const keyOf = (item: JsonValue): string | undefined =>
    mergeKey === "" ? scalarKey(item) : mergeKeyOf(item, mergeKey);
  let i = 0;
  let j = 0;
  while (i < kept.length && j < order.length) {
    const item = kept[i] as JsonValue;
    if (isJsonObject(item) && Object.hasOwn(item, DIRECTIVE)) {
      i++;
      continue;
    }
    if (keyOf(item) === keyOf(order[j] as JsonValue)) i++;
    j++;
  }
  if (i < kept.length && j >= order.length) {
    throw new PatchError(
      `The order in patch list:\n${formatGo([...patch])}\n doesn't match ${SET_ELEMENT_ORDER} list:\n${formatGo([...order])}\n`,
    );
  }
}

/** Whether two lists name the same elements in the same order. */
export function sameOrder(a: readonly JsonValue[], b: readonly JsonValue[], mergeKey: string): boolean {
  return (
    a.length === b.length &&
    b.every((item, i) => mergeKeyOf(a[i] as JsonValue, mergeKey) === mergeKeyOf(item, mergeKey))
  );
}

import { Pace } from "../../base/time/pace.js";
import { atOnce, type Steps } from "../../base/async/steps.js";
import { noteFields } from "../meta/holds-many.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { getOwn, setOwn } from "../patch/json-values.js";
import { TypeMismatch } from "./apply-error.js";
import { itemElement } from "./list-items.js";
import { elementText, type PathElement } from "./path-element.js";
import {
  firstShape,
  type ListDescriptor,
  type MapDescriptor,
  shapeOf,
  type TypeDescriptor,
} from "./type-descriptor.js";

/**
 * The live object with an applied configuration laid over it. Nothing is removed; a leaf of the configuration wins;
 * lists keep the live order where the configuration does not say another. Parts are shared with both arguments.
 * Throws a {@link TypeMismatch} for an item that cannot be told apart.
 */
export function merge(live: JsonObject, applied: JsonObject, type: TypeDescriptor): JsonObject {
  return atOnce(mergeSteps(live, applied, type));
}

/** {@link merge} in steps. */
export function* mergeSteps(live: JsonObject, applied: JsonObject, type: TypeDescriptor): Steps<JsonObject> {
  const merged = yield* visit(live, applied, type, new Pace());
  return isJsonObject(merged) ? merged : {};
}

/** undefined for a side that does not have the value; null is a value. */
type Side = JsonValue | undefined;

function* visit(live: Side, applied: Side, type: TypeDescriptor, pace: Pace): Steps<Side> {
  const value = applied === undefined ? live : applied;
  if (value === undefined) return undefined;
  switch (shapeOf(type, value) ?? firstShape(type)) {
    case "scalar":
      return value;
    case "list":
      return yield* mergeLists(asList(live), asList(applied), type.list as ListDescriptor, value, pace);
    case "map":
      return yield* mergeMaps(live, applied, type.map as MapDescriptor, value, pace);
  }
}

function* mergeMaps(live: Side, applied: Side, map: MapDescriptor, leaf: JsonValue, pace: Pace): Steps<Side> {
  const left = isJsonObject(live) ? live : NOTHING;
  const right = isJsonObject(applied) ? applied : NOTHING;
  if (map.atomic) return leaf;
  const [liveKeys, appliedKeys] = [Object.keys(left), Object.keys(right)];
  if (liveKeys.length === 0 && appliedKeys.length === 0) return leaf;
  const merged: JsonObject = {};
  let held = 0;
  const added = appliedKeys.filter((key) => !Object.hasOwn(left, key));
  for (const keys of [liveKeys, added]) {
    for (const key of keys) {
      if (pace.isDue()) yield;
      const type = map.field(key) ?? map.values;
      if (type === undefined) continue;
      const [before, now] = [getOwn(left, key), getOwn(right, key)];
      const given = now ?? before;
      const isScalar = now !== null && typeof given !== "object" && type.scalar !== undefined;
      const value = isScalar ? given : yield* visit(before, now, type, pace);
      if (value === undefined) continue;
      setOwn(merged, key, value);
      held += 1;
    }
  }
  noteFields(merged, held);
  return held > 0 ? merged : undefined;
}

const NOTHING: JsonObject = Object.freeze({});

const asList = (value: Side): readonly JsonValue[] => (Array.isArray(value) ? value : []);

function* mergeLists(
  live: readonly JsonValue[],
  applied: readonly JsonValue[],
  list: ListDescriptor,
  leaf: JsonValue,
  pace: Pace,
): Steps<Side> {
  if (!list.associative || (live.length === 0 && applied.length === 0)) return leaf;
  const merged = yield* new ListMerge(live, list, pace).runSteps(applied);
  return merged.length > 0 ? merged : undefined;
}

/** Walks both lists at once: items of both in the applied order, items of the live list alone where they stood. */
class ListMerge {
  readonly #merged: JsonValue[] = [];
  readonly #done = new Set<PathElement>();
  readonly #liveElements: PathElement[] = [];
  readonly #appliedElements: PathElement[] = [];
  /** By element; null where an element has several items. */
  readonly #liveItems = new Map<PathElement, JsonValue>();
  readonly #appliedItems = new Map<PathElement, JsonValue>();
  /** Applied items that are live too, in the applied order. */
  readonly #shared: PathElement[] = [];
  /** Index of the first of {@link #shared} that was not met. */
  #nextShared = 0;

  constructor(
    private readonly live: readonly JsonValue[],
    private readonly list: ListDescriptor,
    private readonly pace: Pace,
  ) {}

  *#indexSteps(applied: readonly JsonValue[]): Steps<void> {
    for (const item of applied) {
      if (this.pace.isDue()) yield;
      const element = itemElement(this.list, item);
      if (this.#appliedItems.has(element))
        throw new TypeMismatch([`duplicate entries for key ${elementText(element)}`]);
      this.#appliedItems.set(element, item);
      this.#appliedElements.push(element);
    }
    for (const item of this.live) {
      if (this.pace.isDue()) yield;
      const element = itemElement(this.list, item);
      this.#liveItems.set(element, this.#liveItems.has(element) ? null : item);
      this.#liveElements.push(element);
    }
    for (const element of this.#appliedElements) {
      if (this.pace.isDue()) yield;
      if (this.#liveItems.has(element)) this.#shared.push(element);
    }
  }

  *runSteps(applied: readonly JsonValue[]): Steps<JsonValue[]> {
    yield* this.#indexSteps(applied);
    const [left, right] = [this.#liveElements, this.#appliedElements];
    for (let l = 0, r = 0; l < left.length || r < right.length; ) {
      if (this.pace.isDue()) yield;
      const from = left[l];
      const to = right[r];
      if (from !== undefined && to !== undefined) {
        if (from === to) {
          yield* this.#takeSteps(from);
          this.#nextShared++;
          l++;
          r++;
          continue;
        }
        const next = this.#shared[this.#nextShared];
        if (this.#appliedItems.has(from) && next !== undefined && next !== from) {
          // Both have it, but the applied list wants another one first.
          l++;
          continue;
        }
      }
      if (from !== undefined) {
        if (!this.#appliedItems.has(from)) {
          this.#push(yield* visit(this.live[l], undefined, this.list.items, this.pace));
          l++;
          continue;
        }
        if (this.#done.has(from)) l++;
      }
      if (to !== undefined) {
        yield* this.#takeSteps(to);
        r++;
        if (this.#shared[this.#nextShared] === to) this.#nextShared++;
      }
    }
    return this.#merged;
  }

  /** The item of the applied list, merged with the live one. */
  *#takeSteps(element: PathElement): Steps<void> {
    this.#done.add(element);
    const [live, applied] = [this.#liveItems.get(element), this.#appliedItems.get(element)];
    this.#push(yield* visit(live, applied, this.list.items, this.pace));
  }

  #push(item: Side): void {
    if (item !== undefined) this.#merged.push(item);
  }
}

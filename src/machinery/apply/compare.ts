import { sortKeysSteps } from "../../base/async/sort-steps.js";
import { Pace } from "../../base/time/pace.js";
import type { Steps } from "../../base/async/steps.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { deepEqual, deepEqualSteps, getOwn } from "../patch/json-values.js";
import {
  EMPTY,
  type FieldSet,
  type FieldSetDraft,
  isEmpty,
  isOrdered,
  LEAF,
  member,
  noteOrder,
  noteSteps,
} from "./field-set.js";
import { isIdentifiable, itemElement } from "./list-items.js";
import { fieldElement, newFieldElement, type PathElement } from "./path-element.js";
import {
  firstShape,
  type ListDescriptor,
  type MapDescriptor,
  shapeOf,
  type TypeDescriptor,
} from "./type-descriptor.js";

/** The paths that differ between two objects. No path is in two of the sets. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** Compares two objects of one type. Throws a TypeMismatch for list items without a unique identity. */
export function compare(before: JsonObject, after: JsonObject, type: TypeDescriptor): Comparison {
  const level = new Level();
  visit(before, after, type, level);
  return { removed: level.removed ?? EMPTY, modified: level.modified ?? EMPTY, added: level.added ?? EMPTY };
}

/** {@link compare} in steps. */
export function* compareSteps(before: JsonObject, after: JsonObject, type: TypeDescriptor): Steps<Comparison> {
  const level = new Level();
  yield* visitSteps(before, after, type, level, new Pace());
  return { removed: level.removed ?? EMPTY, modified: level.modified ?? EMPTY, added: level.added ?? EMPTY };
}

export const isSame = ({ removed, modified, added }: Comparison): boolean =>
  isEmpty(removed) && isEmpty(modified) && isEmpty(added);

type Outcome = "same" | "removed" | "modified" | "added";

/** What was found below one value. */
class Level {
  removed: FieldSetDraft | undefined;
  modified: FieldSetDraft | undefined;
  added: FieldSetDraft | undefined;

  /** Adds to the result what was found at one step, and below it. */
  put(element: PathElement, { removed, modified, added }: Level, self: Outcome): void {
    if (removed !== undefined || self === "removed") put((this.removed ??= {}), element, removed, self === "removed");
    if (modified !== undefined || self === "modified") {
      put((this.modified ??= {}), element, modified, self === "modified");
    }
    if (added !== undefined || self === "added") put((this.added ??= {}), element, added, self === "added");
  }

  mark(element: PathElement, outcome: Outcome): void {
    if (outcome !== "same") put((this[outcome] ??= {}), element, undefined, true);
  }
}

function put(draft: FieldSetDraft, element: PathElement, below: FieldSet | undefined, self: boolean): void {
  const known = draft[element];
  // Only an item that became a duplicate, or stopped being one, is met twice.
  if (known !== undefined) draft[element] = member({ ...known, ...below });
  else draft[element] = self ? member(below) : (below ?? LEAF);
}

/** undefined for a side that does not have the value; null is a value. */
type Side = JsonValue | undefined;

function visit(before: Side, after: Side, type: TypeDescriptor, level: Level): Outcome {
  if (before === after) return "same";
  const left = before === undefined ? undefined : shapeOf(type, before);
  const right = after === undefined ? undefined : shapeOf(type, after);
  let outcome: Outcome | "descended";
  if (after === undefined) outcome = handle(left, before, after, type, level);
  else if (before === undefined || left === right) outcome = handle(right, before, after, type, level);
  else {
    // A value that changed its shape: what it was goes, what it is comes.
    const gone = handle(left, before, after, type, level);
    outcome = handle(right, before, after, type, level);
    if (gone === "modified") outcome = gone;
  }
  return ofItself(outcome, before, after);
}

function ofItself(outcome: Outcome | "descended", before: Side, after: Side): Outcome {
  if (outcome !== "descended") return outcome;
  if (before === undefined) return "added";
  return after === undefined ? "removed" : "same";
}

/** {@link visit} in steps; a value that changed its shape is compared at once. */
function* visitSteps(before: Side, after: Side, type: TypeDescriptor, level: Level, pace: Pace): Steps<Outcome> {
  if (before === after) return "same";
  const left = before === undefined ? undefined : shapeOf(type, before);
  const right = after === undefined ? undefined : shapeOf(type, after);
  if (before !== undefined && after !== undefined && left !== right) return visit(before, after, type, level);
  switch ((after === undefined ? left : right) ?? firstShape(type)) {
    case "scalar":
      return yield* leafSteps(before, after, pace);
    case "list":
      return ofItself(yield* compareListsSteps(before, after, type.list as ListDescriptor, level, pace), before, after);
    case "map":
      return ofItself(yield* compareMapsSteps(before, after, type.map as MapDescriptor, level, pace), before, after);
  }
}

function* compareMapsSteps(
  before: Side,
  after: Side,
  map: MapDescriptor,
  level: Level,
  pace: Pace,
): Steps<Outcome | "descended"> {
  const left = isJsonObject(before) ? before : NOTHING;
  const right = isJsonObject(after) ? after : NOTHING;
  const keys = Object.keys(right);
  if (map.atomic || (keys.length === 0 && hasNoKeys(left))) return yield* leafSteps(before, after, pace);
  let inBoth = 0;
  for (const key of keys) {
    if (pace.isDue()) yield;
    const is = right[key] as JsonValue;
    if (left[key] === is && is !== undefined) {
      inBoth += 1;
      continue;
    }
    const was = getOwn(left, key);
    if (was !== undefined) inBoth += 1;
    if (isScalar(was) && isScalar(is)) compareField(key, was, is, map, level);
    else yield* compareFieldSteps(key, was, is, map, level, pace);
  }
  const leftKeys = Object.keys(left);
  if (leftKeys.length === inBoth) return "descended";
  for (const key of leftKeys) {
    if (pace.isDue()) yield;
    if (Object.hasOwn(right, key)) continue;
    const was = left[key] as JsonValue;
    if (isScalar(was)) compareField(key, was, undefined, map, level);
    else yield* compareFieldSteps(key, was, undefined, map, level, pace);
  }
  return "descended";
}

const isScalar = (side: Side): boolean => typeof side !== "object" || side === null;

/** The node of a step to a value that only one side has: all that is in the value, and the step itself. */
function* wholeSteps(value: JsonValue, type: TypeDescriptor, pace: Pace): Steps<FieldSet> {
  switch (shapeOf(type, value) ?? firstShape(type)) {
    case "scalar":
      return LEAF;
    case "list":
      return yield* wholeListSteps(value, type.list as ListDescriptor, pace);
    case "map":
      return yield* wholeMapSteps(value, type.map as MapDescriptor, pace);
  }
}

function* wholeMapSteps(value: JsonValue, map: MapDescriptor, pace: Pace): Steps<FieldSet> {
  if (map.atomic || !isJsonObject(value)) return LEAF;
  const draft: FieldSetDraft = { [SELF]: LEAF };
  let count = 0;
  let isInOrder = true;
  const keys = Object.keys(value);
  // Many names are met once.
  const elementOf = keys.length > MANY_NAMES ? newFieldElement : fieldElement;
  for (const key of yield* sortKeysSteps(keys)) {
    if (pace.isDue()) yield;
    const type = map.field(key) ?? map.values;
    if (type === undefined) continue;
    const held = value[key] as JsonValue;
    const node = isScalar(held) ? LEAF : yield* wholeSteps(held, type, pace);
    draft[elementOf(key)] = node;
    isInOrder &&= isOrdered(node);
    count += 1;
  }
  noteSteps(draft, count);
  if (isInOrder) noteOrder(draft);
  return count === 0 ? LEAF : draft;
}

function* wholeListSteps(value: JsonValue, list: ListDescriptor, pace: Pace): Steps<FieldSet> {
  if (!list.associative || !Array.isArray(value) || value.length === 0) return LEAF;
  const draft: FieldSetDraft = { [SELF]: LEAF };
  for (const [element, items] of yield* indexSteps(value, list, pace)) {
    if (pace.isDue()) yield;
    const [item = null] = items;
    // Items that cannot be told apart are one leaf.
    draft[element] = items.length > 1 || isScalar(item) ? LEAF : yield* wholeSteps(item, list.items, pace);
  }
  noteSteps(draft, value.length);
  return draft;
}

const SELF = ".";
const MANY_NAMES = 1000;

function* compareFieldSteps(
  key: string,
  before: Side,
  after: Side,
  map: MapDescriptor,
  level: Level,
  pace: Pace,
): Steps<void> {
  const type = map.field(key) ?? map.values;
  if (type === undefined || (type.map === undefined && type.list === undefined)) {
    compareField(key, before, after, map, level);
    return;
  }
  if (before === undefined && after !== undefined) {
    (level.added ??= {})[fieldElement(key)] = yield* wholeSteps(after, type, pace);
    return;
  }
  if (after === undefined && before !== undefined) {
    (level.removed ??= {})[fieldElement(key)] = yield* wholeSteps(before, type, pace);
    return;
  }
  const child = new Level();
  level.put(fieldElement(key), child, yield* visitSteps(before, after, type, child, pace));
}

function* compareListsSteps(
  before: Side,
  after: Side,
  list: ListDescriptor,
  level: Level,
  pace: Pace,
): Steps<Outcome | "descended"> {
  const left = Array.isArray(before) ? before : [];
  const right = Array.isArray(after) ? after : [];
  if (!list.associative || (left.length === 0 && right.length === 0)) return yield* leafSteps(before, after, pace);
  if (yield* areSameItems(left, right, list, pace)) return "descended";
  const old = yield* indexSteps(left, list, pace);
  const now = yield* indexSteps(right, list, pace);
  for (const element of new Set([...old.keys(), ...now.keys()])) {
    if (pace.isDue()) yield;
    const [was, is] = [old.get(element) ?? [], now.get(element) ?? []];
    if (was.length > 1 || is.length > 1) {
      compareItems(element, was, is, list, level);
      continue;
    }
    const child = new Level();
    level.put(element, child, yield* visitSteps(was[0], is[0], list.items, child, pace));
  }
  return "descended";
}

function handle(
  shape: ReturnType<typeof shapeOf>,
  before: Side,
  after: Side,
  type: TypeDescriptor,
  level: Level,
): Outcome | "descended" {
  switch (shape ?? firstShape(type)) {
    case "scalar":
      return leaf(before, after);
    case "list":
      return compareLists(before, after, type.list as ListDescriptor, level);
    case "map":
      return compareMaps(before, after, type.map as MapDescriptor, level);
  }
}

function leaf(before: Side, after: Side): Outcome {
  if (before === undefined) return "added";
  if (after === undefined) return "removed";
  return deepEqual(before, after) ? "same" : "modified";
}

function* leafSteps(before: Side, after: Side, pace: Pace): Steps<Outcome> {
  if (before === undefined) return "added";
  if (after === undefined) return "removed";
  return (yield* deepEqualSteps(before, after, pace)) ? "same" : "modified";
}

function compareMaps(before: Side, after: Side, map: MapDescriptor, level: Level): Outcome | "descended" {
  const left = isJsonObject(before) ? before : NOTHING;
  const right = isJsonObject(after) ? after : NOTHING;
  if (map.atomic || (hasNoKeys(left) && hasNoKeys(right))) return leaf(before, after);
  for (const key of Object.keys(right)) compareField(key, getOwn(left, key), right[key], map, level);
  for (const key of Object.keys(left)) {
    if (!Object.hasOwn(right, key)) compareField(key, left[key], undefined, map, level);
  }
  return "descended";
}

const NOTHING: JsonObject = Object.freeze({});

function hasNoKeys(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

function compareField(key: string, before: Side, after: Side, map: MapDescriptor, level: Level): void {
  if (before === after) return;
  const type = map.field(key) ?? map.values;
  if (type === undefined) return;
  if (type.map === undefined && type.list === undefined) {
    level.mark(fieldElement(key), leaf(before, after));
    return;
  }
  if (type.scalar !== undefined && isText(before) && isText(after)) {
    level.mark(fieldElement(key), leaf(before, after));
    return;
  }
  const child = new Level();
  level.put(fieldElement(key), child, visit(before, after, type, child));
}

/** Whether a side is absent or a value that has one shape, whatever its type: no null. */
const isText = (side: Side): boolean => typeof side !== "object";

function compareLists(before: Side, after: Side, list: ListDescriptor, level: Level): Outcome | "descended" {
  const left = Array.isArray(before) ? before : [];
  const right = Array.isArray(after) ? after : [];
  if (!list.associative || (left.length === 0 && right.length === 0)) return leaf(before, after);
  const old = index(left, list);
  const now = index(right, list);
  for (const [element, items] of old) compareItems(element, items, now.get(element) ?? [], list, level);
  for (const [element, items] of now) if (!old.has(element)) compareItems(element, [], items, list, level);
  return "descended";
}

/** Whether both lists have equal items in one order, which can all be told apart: then there is nothing to look for. */
function* areSameItems(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  list: ListDescriptor,
  pace: Pace,
): Steps<boolean> {
  if (before.length !== after.length) return false;
  for (const [at, item] of before.entries()) {
    if (pace.isDue()) yield;
    if (!isIdentifiable(list, item) || !deepEqual(item, after[at])) return false;
  }
  return true;
}

function* indexSteps(
  items: readonly JsonValue[],
  list: ListDescriptor,
  pace: Pace,
): Steps<Map<PathElement, JsonValue[]>> {
  const found = new Map<PathElement, JsonValue[]>();
  for (const item of items) {
    if (pace.isDue()) yield;
    place(found, itemElement(list, item), item);
  }
  return found;
}

function index(items: readonly JsonValue[], list: ListDescriptor): Map<PathElement, JsonValue[]> {
  const found = new Map<PathElement, JsonValue[]>();
  for (const item of items) place(found, itemElement(list, item), item);
  return found;
}

function place(found: Map<PathElement, JsonValue[]>, element: PathElement, item: JsonValue): void {
  const same = found.get(element);
  if (same === undefined) found.set(element, [item]);
  else same.push(item);
}

/** Items of one key; several are compared as one leaf. */
function compareItems(
  element: PathElement,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  list: ListDescriptor,
  level: Level,
): void {
  if (before.length > 1 && after.length > 1) {
    if (!deepEqual(before, after)) level.mark(element, "modified");
    return;
  }
  const [old, now] = [before.length > 1 ? undefined : before[0], after.length > 1 ? undefined : after[0]];
  if (old !== undefined || now !== undefined) {
    const child = new Level();
    level.put(element, child, visit(old, now, list.items, child));
  }
  if (before.length > 1) level.mark(element, "removed");
  if (after.length > 1) level.mark(element, "added");
}

import { Pace } from "../../base/pace.js";
import { atOnce, type Steps } from "../../base/steps.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { EMPTY, type FieldSet, type FieldSetDraft, isEmpty, LEAF, member } from "./field-set.js";
import { itemElement } from "./list-items.js";
import { fieldElement, type PathElement } from "./path-element.js";
import {
  firstShape,
  type ListDescriptor,
  type MapDescriptor,
  shapeOf,
  type TypeDescriptor,
} from "./type-descriptor.js";

/**
 * The paths an object of this type holds: its leaves, the items of its lists, the keys of its maps, and what is null or
 * an empty object. The value must be valid (see {@link import("./validate.js").validate}).
 */
export function toFieldSet(value: JsonObject, type: TypeDescriptor): FieldSet {
  return atOnce(toFieldSetSteps(value, type));
}

/** {@link toFieldSet} in steps. */
export function* toFieldSetSteps(value: JsonObject, type: TypeDescriptor): Steps<FieldSet> {
  const node = yield* visit(value, type, new Pace());
  return node === undefined || node === LEAF ? EMPTY : node;
}

/** The node of what leads here: undefined when it holds nothing, LEAF for a leaf. */
function* visit(value: JsonValue, type: TypeDescriptor, pace: Pace): Steps<FieldSet | undefined> {
  switch (shapeOf(type, value) ?? firstShape(type)) {
    case "scalar":
      return LEAF;
    case "list":
      return yield* visitList(value, type.list as ListDescriptor, pace);
    case "map":
      return yield* visitMap(value, type.map as MapDescriptor, pace);
  }
}

function* visitList(value: JsonValue, list: ListDescriptor, pace: Pace): Steps<FieldSet | undefined> {
  if (!list.associative) return LEAF;
  if (!Array.isArray(value)) return undefined;
  const seen = new Map<PathElement, number>();
  const elements: PathElement[] = [];
  for (const item of value) {
    if (pace.isDue()) yield;
    const element = itemElement(list, item);
    elements.push(element);
    seen.set(element, (seen.get(element) ?? 0) + 1);
  }
  const draft: FieldSetDraft = {};
  for (const [index, element] of elements.entries()) {
    // Items that cannot be told apart are owned together, as one leaf.
    if (pace.isDue()) yield;
    draft[element] = seen.get(element) === 1 ? member(yield* visit(value[index] ?? null, list.items, pace)) : LEAF;
  }
  return isEmpty(draft) ? undefined : draft;
}

function* visitMap(value: JsonValue, map: MapDescriptor, pace: Pace): Steps<FieldSet | undefined> {
  if (map.atomic) return LEAF;
  if (!isJsonObject(value)) return undefined;
  const draft: FieldSetDraft = {};
  let held = false;
  for (const key of Object.keys(value)) {
    if (pace.isDue()) yield;
    const child = value[key] as JsonValue;
    const declared = map.field(key);
    const type = declared ?? map.values;
    let node = type === undefined ? undefined : isLeaf(child, type) ? LEAF : yield* visit(child, type, pace);
    if (declared === undefined || child === null || isEmptyObject(child)) node = member(node);
    if (node === undefined) continue;
    draft[fieldElement(key)] = node;
    held = true;
  }
  return held ? draft : undefined;
}

/** Whether a value is a leaf at first sight: most are. */
const isLeaf = (value: JsonValue, { scalar }: TypeDescriptor): boolean =>
  typeof value !== "object" && scalar !== undefined;

function isEmptyObject(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  for (const _ in value) return false;
  return true;
}

import { Pace } from "../../base/time/pace.js";
import { atOnce, type Steps } from "../../base/async/steps.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { EMPTY, type FieldSet, type FieldSetDraft, LEAF, noteSteps } from "./field-set.js";
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
  const node = yield* visit(value, type, new Pace(), false);
  return node === undefined || node === LEAF ? EMPTY : node;
}

/** The node of what leads here: undefined when it holds nothing, LEAF for a leaf. A step that `isMember` has one in any case. */
function* visit(value: JsonValue, type: TypeDescriptor, pace: Pace, isMember: boolean): Steps<FieldSet | undefined> {
  switch (shapeOf(type, value) ?? firstShape(type)) {
    case "scalar":
      return LEAF;
    case "list":
      return yield* visitList(value, type.list as ListDescriptor, pace, isMember);
    case "map":
      return yield* visitMap(value, type.map as MapDescriptor, pace, isMember);
  }
}

function* visitList(
  value: JsonValue,
  list: ListDescriptor,
  pace: Pace,
  isMember: boolean,
): Steps<FieldSet | undefined> {
  if (!list.associative) return LEAF;
  const nothing = isMember ? LEAF : undefined;
  if (!Array.isArray(value)) return nothing;
  const seen = new Map<PathElement, number>();
  const elements: PathElement[] = [];
  for (const item of value) {
    if (pace.isDue()) yield;
    const element = itemElement(list, item);
    elements.push(element);
    seen.set(element, (seen.get(element) ?? 0) + 1);
  }
  const draft = begin(isMember);
  for (const [index, element] of elements.entries()) {
    // Items that cannot be told apart are owned together, as one leaf.
    if (pace.isDue()) yield;
    const item = value[index] ?? null;
    const isOne = seen.get(element) === 1;
    draft[element] = !isOne || isLeaf(item, list.items) ? LEAF : ((yield* visit(item, list.items, pace, true)) ?? LEAF);
  }
  noteSteps(draft, seen.size);
  return elements.length === 0 ? nothing : draft;
}

function* visitMap(value: JsonValue, map: MapDescriptor, pace: Pace, isMember: boolean): Steps<FieldSet | undefined> {
  if (map.atomic) return LEAF;
  const nothing = isMember ? LEAF : undefined;
  if (!isJsonObject(value)) return nothing;
  const draft = begin(isMember);
  let held = 0;
  for (const key of Object.keys(value)) {
    if (pace.isDue()) yield;
    const child = value[key] as JsonValue;
    const declared = map.field(key);
    const type = declared ?? map.values;
    let node: FieldSet | undefined;
    if (type !== undefined) {
      node = isLeaf(child, type) ? LEAF : yield* visit(child, type, pace, declared === undefined || child === null);
    }
    if (node === undefined && (declared === undefined || child === null || isEmptyObject(child))) node = LEAF;
    if (node === undefined) continue;
    draft[fieldElement(key)] = node;
    held += 1;
  }
  noteSteps(draft, held);
  return held > 0 ? draft : nothing;
}

/** A set to be filled, in which the step that leads to it is a member or not. */
const begin = (isMember: boolean): FieldSetDraft => (isMember ? { [SELF]: LEAF } : {});
const SELF = ".";

/** Whether a value is a leaf at first sight: most are. */
const isLeaf = (value: JsonValue, { scalar }: TypeDescriptor): boolean =>
  typeof value !== "object" && scalar !== undefined;

function isEmptyObject(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  for (const _ in value) return false;
  return true;
}

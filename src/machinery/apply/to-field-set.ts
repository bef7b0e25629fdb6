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
  const node = visit(value, type);
  return node === undefined || node === LEAF ? EMPTY : node;
}

/** The node of what leads here: undefined when it holds nothing, LEAF for a leaf. */
function visit(value: JsonValue, type: TypeDescriptor): FieldSet | undefined {
  switch (shapeOf(type, value) ?? firstShape(type)) {
    case "scalar":
      return LEAF;
    case "list":
      return visitList(value, type.list as ListDescriptor);
    case "map":
      return visitMap(value, type.map as MapDescriptor);
  }
}

function visitList(value: JsonValue, list: ListDescriptor): FieldSet | undefined {
  if (!list.associative) return LEAF;
  if (!Array.isArray(value)) return undefined;
  const seen = new Map<PathElement, number>();
  const elements = value.map((item) => itemElement(list, item));
  for (const element of elements) seen.set(element, (seen.get(element) ?? 0) + 1);
  const draft: FieldSetDraft = {};
  for (const [index, element] of elements.entries()) {
    // Items that cannot be told apart are owned together, as one leaf.
    draft[element] = seen.get(element) === 1 ? member(visit(value[index] ?? null, list.items)) : LEAF;
  }
  return isEmpty(draft) ? undefined : draft;
}

function visitMap(value: JsonValue, map: MapDescriptor): FieldSet | undefined {
  if (map.atomic) return LEAF;
  if (!isJsonObject(value)) return undefined;
  const draft: FieldSetDraft = {};
  let held = false;
  for (const key of Object.keys(value)) {
    const child = value[key] as JsonValue;
    const declared = map.field(key);
    const type = declared ?? map.values;
    let node = type === undefined ? undefined : visit(child, type);
    if (declared === undefined || child === null || isEmptyObject(child)) node = member(node);
    if (node === undefined) continue;
    draft[fieldElement(key)] = node;
    held = true;
  }
  return held ? draft : undefined;
}

function isEmptyObject(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  for (const _ in value) return false;
  return true;
}

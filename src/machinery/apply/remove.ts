import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { setOwn } from "../patch/json-values.js";
import { below, type FieldSet, isEmpty, isMember } from "./field-set.js";
import { itemElement } from "./list-items.js";
import { fieldElement } from "./path-element.js";
import {
  firstShape,
  type ListDescriptor,
  type MapDescriptor,
  shapeOf,
  type TypeDescriptor,
} from "./type-descriptor.js";

/** The object without these paths; what nothing is left of becomes null. Shares what it keeps. */
export function removeItems(object: JsonObject, paths: FieldSet, type: TypeDescriptor): JsonObject {
  const left = isEmpty(paths) ? object : visit(object, paths, type);
  return isJsonObject(left) ? left : {};
}

function visit(value: JsonValue, paths: FieldSet, type: TypeDescriptor): JsonValue {
  switch (shapeOf(type, value) ?? firstShape(type)) {
    case "scalar":
      return value;
    case "list":
      return visitList(value, paths, type.list as ListDescriptor);
    case "map":
      return visitMap(value, paths, type.map as MapDescriptor);
  }
}

function visitList(value: JsonValue, paths: FieldSet, list: ListDescriptor): JsonValue {
  if (!Array.isArray(value)) return null;
  if (value.length === 0 || !list.associative) return null;
  const items: JsonValue[] = [];
  for (const item of value) {
    const element = itemElement(list, item);
    const node = paths[element];
    if (node !== undefined && isMember(node)) continue;
    const further = node !== undefined && !isEmpty(node);
    items.push(further ? visit(item, below(paths, element), list.items) : item);
  }
  return items.length > 0 ? items : null;
}

function visitMap(value: JsonValue, paths: FieldSet, map: MapDescriptor): JsonValue {
  if (!isJsonObject(value)) return null;
  const keys = Object.keys(value);
  if (keys.length === 0 || map.atomic) return null;
  const kept: JsonObject = {};
  let held = false;
  for (const key of keys) {
    const child = value[key] as JsonValue;
    const type = map.field(key) ?? map.values;
    const node = paths[fieldElement(key)];
    if (node !== undefined && isMember(node)) continue;
    const further = node !== undefined && type !== undefined && !isEmpty(node);
    setOwn(kept, key, further ? visit(child, node, type) : child);
    held = true;
  }
  return held ? kept : null;
}

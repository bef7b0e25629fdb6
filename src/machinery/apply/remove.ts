import { Pace } from "../../base/time/pace.js";
import type { Steps } from "../../base/async/steps.js";
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

/** Removes these paths from an object, in steps. A part that becomes empty becomes null. The result shares the parts that it keeps. */
export function* removeItemsSteps(object: JsonObject, paths: FieldSet, type: TypeDescriptor): Steps<JsonObject> {
  const left = isEmpty(paths) ? object : yield* visit(object, paths, type, new Pace());
  return isJsonObject(left) ? left : {};
}

function* visit(value: JsonValue, paths: FieldSet, type: TypeDescriptor, pace: Pace): Steps<JsonValue> {
  switch (shapeOf(type, value) ?? firstShape(type)) {
    case "scalar":
      return value;
    case "list":
      return yield* visitList(value, paths, type.list as ListDescriptor, pace);
    case "map":
      return yield* visitMap(value, paths, type.map as MapDescriptor, pace);
  }
}

function* visitList(value: JsonValue, paths: FieldSet, list: ListDescriptor, pace: Pace): Steps<JsonValue> {
  if (!Array.isArray(value)) return null;
  if (value.length === 0 || !list.associative) return null;
  const items: JsonValue[] = [];
  for (const item of value) {
    if (pace.isDue()) yield;
    const element = itemElement(list, item);
    const node = paths[element];
    if (node !== undefined && isMember(node)) continue;
    const further = node !== undefined && !isEmpty(node);
    items.push(further ? yield* visit(item, below(paths, element), list.items, pace) : item);
  }
  return items.length > 0 ? items : null;
}

function* visitMap(value: JsonValue, paths: FieldSet, map: MapDescriptor, pace: Pace): Steps<JsonValue> {
  if (!isJsonObject(value)) return null;
  const keys = Object.keys(value);
  if (keys.length === 0 || map.atomic) return null;
  const kept: JsonObject = {};
  let held = false;
  for (const key of keys) {
    if (pace.isDue()) yield;
    const child = value[key] as JsonValue;
    const type = map.field(key) ?? map.values;
    const node = paths[fieldElement(key)];
    if (node !== undefined && isMember(node)) continue;
    const further = node !== undefined && type !== undefined && !isEmpty(node);
    setOwn(kept, key, further ? yield* visit(child, node, type, pace) : child);
    held = true;
  }
  return held ? kept : null;
}

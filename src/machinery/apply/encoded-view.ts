import { Pace } from "../../base/time/pace.js";
import type { Steps } from "../../base/async/steps.js";
import { ownValue } from "../wire/json/own-keys.js";
import { holdsMany } from "../meta/holds-many.js";
import type { JsonObject, JsonValue } from "../meta/json.js";
import { setOwn } from "../patch/json-values.js";
import type { Field, Schema, StructSchema } from "../schema/schema.js";
import { isOmitted, isStructInGo, scalarZero } from "../schema/zero-values.js";

/**
 * The object as its JSON would read it back: zero structs that Go writes are there, empty values that it leaves out are
 * not, and neither are unknown fields that are not preserved. Field sets are made of this. Parts that need no change are shared.
 */
export function encodedView(object: object, schema: StructSchema): JsonObject {
  return viewStruct(object, schema);
}

/** {@link encodedView} in steps. */
export function* encodedViewSteps(object: object, schema: StructSchema): Steps<JsonObject> {
  if (!holdsMany(object)) return viewStruct(object, schema);
  return (yield* viewSteps(object, schema, new Pace())) as JsonObject;
}

/** The view of a value in steps: of lists and maps item by item, and of structs field by field where their fields hold many values. */
function* viewSteps(value: unknown, schema: Schema, pace: Pace): Steps<JsonValue> {
  if (typeof value !== "object" || value === null || schema.type === "scalar") return viewValue(value, schema);
  if (schema.type === "list") {
    if (!Array.isArray(value) || schema.items.type === "scalar") return viewValue(value, schema);
    const items: JsonValue[] = [];
    for (const item of value as readonly unknown[]) {
      if (pace.isDue()) yield;
      items.push(holdsMany(item) ? yield* viewSteps(item, schema.items, pace) : viewItem(item, schema.items));
    }
    return items;
  }
  if (schema.type === "map") {
    if (schema.values.type === "scalar") return viewValue(value, schema);
    const view: JsonObject = {};
    for (const key of Object.keys(value)) {
      if (pace.isDue()) yield;
      const held = ownValue(value, key);
      setOwn(view, key, holdsMany(held) ? yield* viewSteps(held, schema.values, pace) : viewItem(held, schema.values));
    }
    return view;
  }
  const seen = new Map<string, JsonValue>();
  for (const name of Object.keys(value)) {
    const field = schema.byName.get(name);
    const held = ownValue(value, name);
    if (field === undefined || field.asIs === true || !holdsMany(held) || isOmitted(held, field.schema)) continue;
    yield;
    seen.set(name, yield* viewSteps(held, field.schema, pace));
  }
  return viewStruct(value, schema, seen);
}

/** What a field holds when an object is new: those that Go writes all the same. */
interface Always {
  readonly field: Field;
  readonly zero: JsonValue;
}

const always = new WeakMap<StructSchema, readonly Always[]>();

function alwaysOf(schema: StructSchema): readonly Always[] {
  let fields = always.get(schema);
  if (fields === undefined) {
    fields = schema.fields.filter(isAlways).map((field) => ({ field, zero: zeroOf(field) }));
    always.set(schema, fields);
  }
  return fields;
}

function isAlways(field: Field): boolean {
  if (field.pointer) return !field.omitEmpty && !field.omitZero;
  if (field.omitZero) return false;
  const { schema } = field;
  return !field.omitEmpty || schema.type === "struct" || (schema.type === "scalar" && isStructInGo(schema));
}

function zeroOf({ pointer, schema }: Field): JsonValue {
  if (pointer) return null;
  if (schema.type === "struct") return viewStruct({}, schema);
  return schema.type === "scalar" ? scalarZero[schema.scalar] : null;
}

/** `known` are the views of fields that were made before. */
function viewStruct(object: object, schema: StructSchema, known?: ReadonlyMap<string, JsonValue>): JsonObject {
  let changed = false;
  const view: JsonObject = {};
  for (const name of Object.keys(object)) {
    const field = schema.byName.get(name);
    const value = ownValue(object, name);
    const seen = field === undefined ? unknownField(value, schema) : (known?.get(name) ?? viewField(value, field));
    if (seen === undefined) changed = true;
    else {
      setOwn(view, name, seen);
      if (seen !== value) changed = true;
    }
  }
  for (const { field, zero } of alwaysOf(schema)) {
    if (Object.hasOwn(view, field.name)) continue;
    view[field.name] = zero;
    changed = true;
  }
  return changed ? view : (object as JsonObject);
}

const unknownField = (value: unknown, { preservesUnknownFields }: StructSchema): JsonValue | undefined =>
  preservesUnknownFields === true ? (value as JsonValue) : undefined;

/** undefined when the field is left out, or is absent and filled in later. */
function viewField(value: unknown, field: Field): JsonValue | undefined {
  if (field.asIs === true) return value as JsonValue;
  if (value === undefined || value === null) return undefined;
  const { schema } = field;
  if (!field.pointer) {
    if (field.omitEmpty && isOmitted(value, schema)) return undefined;
    if (field.omitZero && (schema.type === "struct" ? isBare(viewValue(value, schema)) : isOmitted(value, schema))) {
      return undefined;
    }
  }
  return viewValue(value, schema);
}

function isBare(value: JsonValue): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function viewValue(value: unknown, schema: Schema): JsonValue {
  switch (schema.type) {
    case "struct":
      return typeof value === "object" && value !== null ? viewStruct(value, schema) : viewStruct({}, schema);
    case "map":
      return viewMap(value, schema.values);
    case "list":
      return viewList(value, schema.items);
    case "scalar":
      return value as JsonValue;
  }
}

function viewMap(value: unknown, values: Schema): JsonValue {
  if (typeof value !== "object" || value === null) return null;
  if (values.type === "scalar") return value as JsonObject;
  const view: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(view, key, viewItem(ownValue(value, key), values));
  return view;
}

function viewList(value: unknown, items: Schema): JsonValue {
  if (!Array.isArray(value)) return null;
  return items.type === "scalar" ? (value as JsonValue[]) : value.map((item) => viewItem(item, items));
}

function viewItem(value: unknown, schema: Schema): JsonValue {
  if (value !== undefined && value !== null) return viewValue(value, schema);
  return schema.type === "struct" ? viewStruct({}, schema) : null;
}

import { sortKeysSteps } from "../../base/async/sort-steps.js";
import { Pace } from "../../base/time/pace.js";
import type { Steps } from "../../base/async/steps.js";
import { holdsMany } from "../meta/holds-many.js";
import type { Field, Schema, StructSchema } from "../schema/schema.js";
import { encodeField, encodeItem, encodeObject, FIELDS_V1, fieldsIn, withUnknownFields } from "./encode.js";
import { fieldsV1TextSteps } from "./json/fields-v1-text.js";
import { encodeJson, encodeString } from "./json/json-encoder.js";
import { ownValue } from "./json/own-keys.js";

/** {@link encodeObject} in steps. */
export function* encodeObjectSteps(object: object, schema: StructSchema): Steps<Uint8Array> {
  if (!holdsMany(object)) return encodeObject(object, schema);
  const text = yield* structSteps(object, schema, new Pace());
  yield;
  return utf8.encode(text);
}

const utf8 = new TextEncoder();

function* structSteps(object: object, schema: StructSchema, pace: Pace): Steps<string> {
  let text = "";
  for (const { name, label, field } of fieldsIn(object, schema)) {
    const held = ownValue(object, name);
    const encoded = yield* fieldSteps(held === null && field.asIs !== true ? undefined : held, field, pace);
    if (encoded !== undefined) text += text === "" ? `${label}${encoded}` : `,${label}${encoded}`;
  }
  return `{${withUnknownFields(text, object, schema)}}`;
}

/** undefined when the field is left out. */
function* fieldSteps(value: unknown, field: Field, pace: Pace): Steps<string | undefined> {
  if (field.asIs === true && typeof value === "object" && value !== null) return yield* jsonSteps(value, pace);
  if (isFieldsV1(value, field.schema)) return yield* fieldsV1TextSteps(value, pace);
  if (!isContainer(value, field.schema) || isEmpty(value)) return encodeField(value, field);
  const text = yield* valueSteps(value, field.schema, pace);
  return field.omitZero && !field.pointer && text === "{}" ? undefined : text;
}

function* valueSteps(value: object, schema: Schema, pace: Pace): Steps<string> {
  if (schema.type === "struct") return yield* structSteps(value, schema, pace);
  const parts: string[] = [];
  if (schema.type === "list") {
    for (const item of value as readonly unknown[]) {
      parts.push(yield* itemSteps(item, schema.items, pace));
      if (pace.isDue()) yield;
    }
    return `[${parts.join(",")}]`;
  }
  const { values } = schema as Extract<Schema, { type: "map" }>;
  for (const key of yield* sortKeysSteps(Object.keys(value))) {
    const held = ownValue(value, key);
    const text = isContainer(held, values) ? yield* valueSteps(held, values, pace) : encodeItem(held, values);
    parts.push(`${encodeString(key)}:${text}`);
    if (pace.isDue()) yield;
  }
  return `{${parts.join(",")}}`;
}

/** A value of any form, keys in byte order. */
function* jsonSteps(value: unknown, pace: Pace): Steps<string> {
  if (typeof value !== "object" || value === null || !holdsMany(value)) return encodeSmall(value);
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) {
      parts.push(holdsMany(item) ? yield* jsonSteps(item, pace) : encodeSmall(item));
      if (pace.isDue()) yield;
    }
    return `[${parts.join(",")}]`;
  }
  for (const key of yield* sortKeysSteps(Object.keys(value))) {
    const held = ownValue(value, key);
    parts.push(`${encodeString(key)}:${holdsMany(held) ? yield* jsonSteps(held, pace) : encodeSmall(held)}`);
    if (pace.isDue()) yield;
  }
  return `{${parts.join(",")}}`;
}

const encodeSmall = (value: unknown): string =>
  typeof value === "string" ? encodeString(value) : encodeJson(value, SORTED);

const SORTED = { sortKeys: true };

function* itemSteps(value: unknown, schema: Schema, pace: Pace): Steps<string> {
  return isContainer(value, schema) ? yield* valueSteps(value, schema, pace) : encodeItem(value, schema);
}

/** Whether the schema has something to say about what is in the value. */
function isContainer(value: unknown, { type }: Schema): value is object {
  return typeof value === "object" && value !== null && type !== "scalar" && Array.isArray(value) === (type === "list");
}

/** Field sets are scalars to a schema. */
function isFieldsV1(value: unknown, schema: Schema): value is object {
  return typeof value === "object" && value !== null && schema.type === "scalar" && schema.definition === FIELDS_V1;
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

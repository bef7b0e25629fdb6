import { isFields, type ReadonlyFields } from "../../../machinery/meta/access.js";

type Wanted = (schema: ReadonlyFields) => boolean;

/** Whether a schema, or one inside it, is as `wanted` says. Makes no lists on the way, because definitions are large. */
export function schemaHas(schema: unknown, wanted: Wanted): boolean {
  if (!isFields(schema)) return false;
  if (wanted(schema)) return true;
  for (const keyword of KEYWORDS) if (heldHas(schema[keyword], wanted)) return true;
  for (const keyword of BY_NAME) {
    const held = schema[keyword];
    if (isFields(held) && Object.values(held).some((inner) => schemaHas(inner, wanted))) return true;
  }
  return false;
}

/** A schema or a list of schemas. */
const heldHas = (held: unknown, wanted: Wanted): boolean =>
  Array.isArray(held) ? held.some((inner) => schemaHas(inner, wanted)) : schemaHas(held, wanted);

const KEYWORDS = ["items", "allOf", "anyOf", "oneOf", "not", "additionalProperties", "additionalItems"];
const BY_NAME = ["properties", "patternProperties", "definitions", "dependencies"];

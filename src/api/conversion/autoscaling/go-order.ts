import { encodeObjectText } from "../../../machinery/wire/encode.js";
import { decodeObject, UnmarshalError } from "../../../machinery/wire/strict-decode.js";
import type { ReadonlyFields } from "../../../machinery/meta/access.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import { structOf } from "../../facts/definitions.js";

/** A copy with the fields that Go writes of the type, in Go's order: for JSON within an annotation. */
export function inOrderOf(definition: string, value: ReadonlyFields): unknown {
  return JSON.parse(encodeObjectText(value, typeOf(definition)));
}

/** Objects as Go reads them into the type; undefined when one does not fit, as Go then has none of them. */
export function asType(definition: string, values: readonly ReadonlyFields[]): ReadonlyFields[] | undefined {
  try {
    return values.map((value) => decodeObject(value, typeOf(definition), { mode: "Ignore" }).object);
  } catch (error) {
    if (error instanceof UnmarshalError) return undefined;
    throw error;
  }
}

/** Throws when the API facts lack the definition. */
export function typeOf(definition: string): StructSchema {
  const struct = structOf(definition);
  if (struct === undefined) throw new Error(`the API facts lack ${definition}`);
  return struct;
}

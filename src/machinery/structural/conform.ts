import { append } from "../../base/collections/append.js";
import type { StructSchema } from "../schema/schema.js";
import { goQuote } from "../../base/text/go-quote.js";
import { formatFieldError } from "../errors/field-error.js";
import type { JsonObject } from "../meta/json.js";
import { removeNulls } from "./apply-defaults.js";
import { coerceMetadata } from "./coerce-metadata.js";
import { prune } from "./prune.js";
import type { StructuralSchema } from "./structural-schema.js";

export interface ConformOptions {
  /** meta/v1 ObjectMeta, of which embedded resources have one. Absent: theirs is not looked at. */
  readonly objectMeta?: StructSchema | undefined;
  /** Drops metadata of embedded resources that cannot be read, as is done with stored objects. Else it is an error. */
  readonly dropInvalidMetadata?: boolean;
}

/**
 * Makes a decoded custom resource conform to its schema, in place: removes fields that are not specified, nulls that are not allowed,
 * and what embedded metadata does not have. Returns the strict errors (`unknown field "spec.foo"`). Throws with the text of a field
 * error for embedded metadata that cannot be read. Source: apiextensions' unstructuredSchemaCoercer.
 */
export function conform(object: JsonObject, schema: StructuralSchema, options: ConformOptions = {}): string[] {
  const unknown = prune(object, schema, { isResourceRoot: true });
  removeNulls(object, schema);
  const { objectMeta, dropInvalidMetadata = false } = options;
  if (objectMeta !== undefined) {
    const coerced = coerceMetadata(object, schema, { objectMeta, dropInvalid: dropInvalidMetadata });
    if (coerced.error !== undefined) throw new Error(formatFieldError(coerced.error));
    append(unknown, coerced.unknown);
  }
  return unknown.map((path) => `unknown field ${goQuote(path)}`);
}

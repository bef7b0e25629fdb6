import type { FieldError } from "../errors/field-error.js";
import type { JsonValue } from "../meta/json.js";
import { validateEmbeddedResources } from "./embedded-resources.js";
import { validateListUniqueness } from "./list-uniqueness.js";
import { CorrelatedValue } from "./ratchet.js";
import { compileSchemaValidation } from "./schema-validation.js";
import type { StructuralSchema } from "./structural-schema.js";

export interface ValueValidationOptions {
  /** Of the value ("status"); absent for a whole object. */
  readonly path?: string;
  /** The value beside its old one, when the caller has it; else it is made of them. */
  readonly correlated?: CorrelatedValue | undefined;
}

/** Judges a value; with the old value what an update left as it was is forgiven. */
export type ValueValidator = (
  value: JsonValue,
  old: JsonValue | undefined,
  options?: ValueValidationOptions,
) => FieldError[];

/**
 * Compiles all that a schema says of values but the rules in CEL: {@link compileSchemaValidation}, then embedded resources, then lists of
 * type set and map, in the order of kube-apiserver's errors. Faults of sets and maps are forgiven where the old value had any; those of
 * embedded resources never. Source: apiextensions' customResourceStrategy.
 */
export function compileValueValidation(schema: StructuralSchema): ValueValidator {
  const validateSchema = compileSchemaValidation(schema);
  return (value, old, { path = "", correlated } = {}) => {
    const before = correlated ?? (old === undefined ? undefined : new CorrelatedValue(value, old, schema));
    const errors = validateSchema(value, { path, correlated: before });
    errors.push(...validateEmbeddedResources(value, schema, { path }));
    if (old === undefined || validateListUniqueness(old, schema).length === 0) {
      errors.push(...validateListUniqueness(value, schema, path));
    }
    return errors;
  };
}

import { append } from "../../base/append.js";
import type { Steps } from "../../base/steps.js";
import type { FieldError } from "../errors/field-error.js";
import type { JsonValue } from "../meta/json.js";
import { prepareDefaultsSteps } from "./apply-defaults.js";
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
export interface ValueValidator {
  (value: JsonValue, old: JsonValue | undefined, options?: ValueValidationOptions): FieldError[];
  /** Makes ready, in steps, all that validation and defaults need of the schema. Else they do when a value first needs it. */
  prepareSteps(): Steps<void>;
}

/**
 * Compiles all that a schema says of values but the rules in CEL: {@link compileSchemaValidation}, then embedded resources, then lists of
 * type set and map, in the order of kube-apiserver's errors. Faults of sets and maps are forgiven where the old value had any; those of
 * embedded resources never. Source: apiextensions' customResourceStrategy.
 */
export function compileValueValidation(schema: StructuralSchema): ValueValidator {
  const validateSchema = compileSchemaValidation(schema);
  const validator = (
    value: JsonValue,
    old: JsonValue | undefined,
    { path = "", correlated }: ValueValidationOptions = {},
  ): FieldError[] => {
    const before = correlated ?? (old === undefined ? undefined : new CorrelatedValue(value, old, schema));
    const errors = validateSchema(value, { path, correlated: before });
    append(errors, validateEmbeddedResources(value, schema, { path }));
    if (old === undefined || validateListUniqueness(old, schema).length === 0) {
      append(errors, validateListUniqueness(value, schema, path));
    }
    return errors;
  };
  return Object.assign(validator, {
    *prepareSteps(): Steps<void> {
      yield* prepareDefaultsSteps(schema);
      yield* validateSchema.prepareSteps();
    },
  });
}

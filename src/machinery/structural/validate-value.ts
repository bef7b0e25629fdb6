import { append } from "../../base/collections/append.js";
import type { Steps } from "../../base/async/steps.js";
import type { FieldError } from "../errors/field-error.js";
import type { JsonObject, JsonValue } from "../meta/json.js";
import { prepareDefaultsSteps } from "./apply-defaults.js";
import { validateEmbeddedResources } from "./embedded-resources.js";
import { validateListUniqueness } from "./list-uniqueness.js";
import { CorrelatedValue } from "./ratchet.js";
import { compileSchemaValidation } from "./schema-validation.js";
import type { StructuralSchema } from "./structural-schema.js";

export interface ValueValidationOptions {
  /** The value beside its old one, when the caller has it; else it is made of them. */
  readonly correlated?: CorrelatedValue | undefined;
}

/** Judges a value; with the old value what an update left as it was is forgiven. */
export interface ValueValidator {
  (value: JsonValue, old: JsonValue | undefined, options?: ValueValidationOptions): FieldError[];
  /**
   * Judges a write of the status of an object: by the schema of that field alone, whose sentences name fields from the root of the status.
   * Embedded resources are not judged. Source: apiextensions' statusStrategy.
   */
  status(object: JsonObject, old: JsonObject, correlated: CorrelatedValue): FieldError[];
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
  const repeatedItems = (value: JsonValue, old: JsonValue | undefined): FieldError[] =>
    old === undefined || validateListUniqueness(old, schema).length === 0 ? validateListUniqueness(value, schema) : [];
  const validator = (
    value: JsonValue,
    old: JsonValue | undefined,
    { correlated }: ValueValidationOptions = {},
  ): FieldError[] => {
    const before = correlated ?? (old === undefined ? undefined : new CorrelatedValue(value, old, schema));
    const errors = validateSchema(value, { correlated: before });
    append(errors, validateEmbeddedResources(value, schema));
    append(errors, repeatedItems(value, old));
    return errors;
  };
  const validateStatus = validateSchema.ofField("status");
  return Object.assign(validator, {
    status(object: JsonObject, old: JsonObject, correlated: CorrelatedValue): FieldError[] {
      const { status } = object;
      const options = { path: "status", correlated: correlated.field("status") };
      const errors = status === undefined ? [] : (validateStatus?.(status, options) ?? []);
      append(errors, repeatedItems(object, old));
      return errors;
    },
    *prepareSteps(): Steps<void> {
      yield* prepareDefaultsSteps(schema);
      yield* validateSchema.prepareSteps();
    },
  });
}

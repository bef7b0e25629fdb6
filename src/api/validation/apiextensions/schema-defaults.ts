import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { ApiObject } from "../../../machinery/meta/object.js";
import { append, smallest } from "../../../base/collections/append.js";
import { Pace } from "../../../base/time/pace.js";
import { atOnce, type Steps } from "../../../base/async/steps.js";
import { RUNTIME_COST_BUDGET } from "../../../machinery/cel/kubernetes/cost-limits.js";
import {
  type FieldError,
  formatFieldError,
  formatFieldErrors,
  invalidValue,
} from "../../../machinery/errors/field-error.js";
import { absent, type ReadonlyFields } from "../../../machinery/meta/access.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import { deepCopy, deepEqual } from "../../../machinery/patch/json-values.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import { coerceMetadata } from "../../../machinery/structural/coerce-metadata.js";
import { validateEmbeddedResources } from "../../../machinery/structural/embedded-resources.js";
import { inKeyOrder } from "../../../machinery/structural/problems.js";
import {
  leadsToEmbedded,
  asResourceRoot,
  type StructuralSchema,
  structuralSchemaOf,
} from "../../../machinery/structural/structural-schema.js";
import { prune } from "../../../machinery/structural/pruning.js";
import { CorrelatedValue } from "../../../machinery/structural/ratchet.js";
import { compileRules } from "../../../machinery/structural/rules/validate-rules.js";
import { compileSchemaValidation } from "../../../machinery/structural/schema-validation.js";
import { schemaFor } from "../../facts/index.js";
import { schemaHas } from "./schema-fields.js";
import type { Schema } from "./definition-types.js";

/** Results that were computed before validation asks for them, by the schema's identity and a key of the question. */
export class JudgedAhead<T> {
  readonly #results = new WeakMap<ReadonlyFields, Map<string, T>>();

  get(schema: Schema, key: string): T | undefined {
    return this.#results.get(schema)?.get(key);
  }

  set(schema: Schema, key: string, result: T): T {
    let results = this.#results.get(schema);
    if (results === undefined) {
      results = new Map();
      this.#results.set(schema, results);
    }
    results.set(key, result);
    return result;
  }
}

const META = ["apiVersion", "kind", "metadata"];

/**
 * Checks the defaults of a structural schema against the schema: they may have only known fields (unless `requirePruned` is
 * false), and values that the schema and its rules allow. Source: apiextensions' defaulting.ValidateDefaults.
 */
export function validateDefaults(schema: Schema, path: string, requirePruned: boolean): readonly FieldError[] {
  return judged.get(schema, keyOf(path, requirePruned)) ?? atOnce(defaultsSteps(schema, path, requirePruned));
}

/** Does the work of {@link validateDefaults} ahead, in steps, so that it is fast afterwards for the same object. */
export function* judgeDefaultsSteps(
  schema: Schema,
  path: string,
  requirePruned: boolean,
): Steps<readonly FieldError[]> {
  return judged.set(schema, keyOf(path, requirePruned), yield* defaultsSteps(schema, path, requirePruned));
}

const judged = new JudgedAhead<readonly FieldError[]>();

const keyOf = (path: string, requirePruned: boolean): string => `${requirePruned} ${path}`;

/** A small default is judged in ten microseconds, and one with a pattern that was not read yet in a tenth of a millisecond. */
const DEFAULTS_PER_STEP = 8;
/** More errors than a person reads. */
const MOST_ERRORS = 1000;

function* defaultsSteps(schema: Schema, path: string, requirePruned: boolean): Steps<readonly FieldError[]> {
  if (!hasDefaults(schema)) return [];
  const errors: FieldError[] = [];
  const pace = new Pace(DEFAULTS_PER_STEP);
  const walk = new Pace();
  const budget = { left: RUNTIME_COST_BUDGET };
  for (const place of defaultsOf(schema, path)) {
    if (place === undefined) {
      if (walk.isDue()) yield;
      continue;
    }
    if (pace.isDue()) yield;
    if (errors.length >= MOST_ERRORS) break;
    if (!place.inMeta && requirePruned && isUnpruned(place)) {
      errors.push(invalidValue(place.path, inKeyOrder(place.value), "must not have unknown fields"));
    }
    const problems = place.inMeta ? problemsInMeta(place) : problemsOf(place);
    append(errors, problems);
    if (problems.length === 0) append(errors, yield* ruleSteps(place, budget));
    if (budget.left < 0) break;
  }
  return errors;
}

export function hasUnprunedDefaults(schema: Schema): boolean {
  if (!hasDefaults(schema)) return false;
  for (const place of defaultsOf(schema, ""))
    if (place !== undefined && !place.inMeta && isUnpruned(place)) return true;
  return false;
}

function defaultsOf(schema: Schema, path: string): Iterable<DefaultPlace | undefined> {
  const root = asResourceRoot(structuralSchemaOf(schema as JsonObject));
  return eachDefault(root, { path, root, inMeta: false, around: asResource });
}

export const hasDefaults = (schema: unknown): boolean => schemaHas(schema, (inner) => !absent(inner.default));

interface Surroundings {
  readonly path: string;
  /** The resource that the schema is a part of. */
  readonly root: StructuralSchema;
  /** Inside apiVersion, kind or metadata of that resource. */
  readonly inMeta: boolean;
  /** A resource that holds the value and nothing else. */
  readonly around: (value: JsonValue) => JsonObject;
}

/** A default, and where it is. */
interface DefaultPlace extends Surroundings {
  readonly value: JsonValue;
  readonly schema: StructuralSchema;
}

const asResource = (value: JsonValue): JsonObject =>
  ({
    apiVersion: "validation/v1",
    kind: "Validation",
    ...(value as JsonObject),
  }) satisfies FieldsOf<ApiObject>;

/** Every default but those below additionalProperties; undefined for a schema that has none. */
function* eachDefault(schema: StructuralSchema, outer: Surroundings): Iterable<DefaultPlace | undefined> {
  const here = schema.embeddedResource ? { ...outer, root: schema, inMeta: false, around: asResource } : outer;
  const { path, around, root } = here;
  if (schema.default === undefined) yield undefined;
  else yield { ...here, path: `${path}.default`, value: schema.default, schema };
  if (schema.items !== undefined) {
    yield* eachDefault(schema.items, { ...here, path: `${path}.items`, around: (value) => around([value]) });
  }
  for (const [name, property] of schema.properties) {
    yield* eachDefault(property, {
      root,
      path: `${path}.properties[${name}]`,
      inMeta: here.inMeta || (schema.embeddedResource && META.includes(name)),
      around: (value: JsonValue) => around({ [name]: value }),
    });
  }
}

function isUnpruned({ value, schema }: DefaultPlace): boolean {
  if (typeof value !== "object") return false;
  const pruned = deepCopy(value);
  prune(pruned, schema, { isResourceRoot: schema.embeddedResource });
  return !deepEqual(pruned, value);
}

function problemsOf({ value, schema, path }: DefaultPlace): FieldError[] {
  if (leadsToEmbedded(schema)) {
    const { error } = coerceMetadata(deepCopy(value), schema, { objectMeta: objectMeta(), dropInvalid: false, path });
    if (error !== undefined) return [error];
    const errors = validateEmbeddedResources(value, schema, { path });
    if (errors.length > 0) return errors;
  }
  return compileSchemaValidation(schema)(value, { path });
}

/** A default has to pass the rules both as a new value and as one that was there before. */
function* ruleSteps({ value, schema, path, root }: DefaultPlace, budget: { left: number }): Steps<FieldError[]> {
  const rules = compileRules(schema, schema === root);
  if (rules === undefined) return [];
  const correlated = new CorrelatedValue(value, value, schema);
  const options = { path, ratchets: false, budget: budget.left };
  const unchanged = yield* rules.steps(value, { ...options, correlated });
  const [errors, left] = [[...unchanged.errors], [unchanged.budgetLeft]];
  if (errors.length === 0) {
    const created = yield* rules.steps(value, options);
    append(errors, created.errors);
    left.push(created.budgetLeft);
  }
  budget.left = smallest(left);
  return errors;
}

/** A default of metadata is judged within a resource. */
function problemsInMeta({ value, schema, path, root, around }: DefaultPlace): FieldError[] {
  const resource = around(deepCopy(value));
  const refuse = (problem: string): FieldError[] => [
    invalidValue(path, inKeyOrder(value), `must result in valid metadata: ${problem}`),
  ];
  const { error } = coerceMetadata(resource, root, { objectMeta: objectMeta(), dropInvalid: false });
  if (error !== undefined) return refuse(formatFieldError(error));
  const errors = validateEmbeddedResources(resource, root);
  return errors.length > 0 ? refuse(formatFieldErrors(errors)) : compileSchemaValidation(schema)(value, { path });
}

let meta: StructSchema | undefined;

/** meta/v1 ObjectMeta. */
function objectMeta(): StructSchema {
  meta ??= schemaFor({ group: "", version: "v1", kind: "ConfigMap" })?.byName.get("metadata")?.schema as StructSchema;
  return meta;
}

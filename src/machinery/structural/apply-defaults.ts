import { Pace } from "../../base/time/pace.js";
import type { Steps } from "../../base/async/steps.js";
import { isFields } from "../meta/access.js";
import type { JsonObject, JsonValue } from "../meta/json.js";
import { deepCopy, setOwn } from "../patch/json-values.js";
import { schemaOfField, type StructuralSchema } from "./structural-schema.js";

/**
 * Sets the defaults of the schema in an object, in place: where a field is left out, and where it is null though the schema does not
 * allow null. Every object gets copies. Run {@link removeNulls} before it, as kube-apiserver does. Source: apiextensions'
 * defaulting.Default.
 */
export function applyDefaults(value: JsonValue, schema: StructuralSchema): void {
  const plan = planOf(schema);
  if (!plan.reachesDefaults || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return;
    for (const [index, item] of value.entries()) {
      if (item === null && !items.nullable) value[index] = copyOfDefault(items);
      applyDefaults(value[index] as JsonValue, items);
    }
    return;
  }
  for (const [name, property] of plan.defaulted) {
    const held = Object.hasOwn(value, name) ? value[name] : undefined;
    if (held === undefined || (held === null && !property.nullable)) setOwn(value, name, copyOfDefault(property));
  }
  for (const [name, property] of plan.leading) {
    if (Object.hasOwn(value, name)) applyDefaults(value[name] as JsonValue, property);
  }
  if (plan.others !== undefined) applyToOthers(value, schema, plan.others);
}

function applyToOthers(value: JsonObject, schema: StructuralSchema, others: StructuralSchema): void {
  for (const name of Object.keys(value)) {
    if (schema.properties.has(name)) continue;
    if (value[name] === null && !others.nullable) setOwn(value, name, copyOfDefault(others));
    applyDefaults(value[name] as JsonValue, others);
  }
}

const copyOfDefault = (schema: StructuralSchema): JsonValue => deepCopy(schema.default ?? null);

/** What of a schema has to do with defaults: most of it has not, and is not walked. */
interface Plan {
  readonly reachesDefaults: boolean;
  readonly defaulted: readonly (readonly [name: string, schema: StructuralSchema])[];
  /** Properties that have defaults inside. */
  readonly leading: readonly (readonly [name: string, schema: StructuralSchema])[];
  readonly others: StructuralSchema | undefined;
}

const plans = new WeakMap<StructuralSchema, Plan>();

function planOf(schema: StructuralSchema): Plan {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const { items, additionalProperties } = schema;
  const properties = [...schema.properties];
  const defaulted = properties.filter(([, property]) => property.default !== undefined);
  const leading = properties.filter(([, property]) => planOf(property).reachesDefaults);
  const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
  const othersHave = others !== undefined && hasDefaults(others);
  const plan = {
    reachesDefaults: defaulted.length + leading.length > 0 || othersHave || (items !== undefined && hasDefaults(items)),
    defaulted,
    leading,
    others: othersHave ? others : undefined,
  };
  plans.set(schema, plan);
  return plan;
}

/** Finds the places of a schema with defaults, in steps. */
export function* prepareDefaultsSteps(schema: StructuralSchema, pace = new Pace()): Steps<void> {
  const { items, additionalProperties: others } = schema;
  if (pace.isDue()) yield;
  for (const property of schema.properties.values()) yield* prepareDefaultsSteps(property, pace);
  if (items !== undefined) yield* prepareDefaultsSteps(items, pace);
  if (typeof others === "object") yield* prepareDefaultsSteps(others, pace);
  planOf(schema);
}

const hasDefaults = (schema: StructuralSchema): boolean =>
  schema.default !== undefined || planOf(schema).reachesDefaults;

/**
 * Removes fields that are null although their schema does not allow null and has no default. Items of lists stay. Source:
 * apiextensions' defaulting.PruneNonNullableNullsWithoutDefaults.
 */
export function removeNulls(value: JsonValue, schema: StructuralSchema): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined) for (const item of value) removeNulls(item, items);
    return;
  }
  if (!isFields(value)) return;
  if (schema.properties.size === 0 && typeof schema.additionalProperties !== "object") return;
  for (const name of Object.keys(value)) {
    const held = value[name] as JsonValue;
    if (typeof held !== "object") continue;
    const field = schemaOfField(schema, name);
    if (field === undefined) continue;
    if (held === null && !field.nullable && field.default === undefined) delete value[name];
    else removeNulls(held, field);
  }
}

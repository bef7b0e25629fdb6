import type { Field, Schema, StructSchema } from "./schema.js";

/**
 * Sets the static defaults of the schema (`"protocol": "TCP"`) in place, wherever the struct that has them exists. It does not set
 * defaults that depend on other fields. Pass an object of your own.
 */
export function applyDefaults(object: object, schema: StructSchema): void {
  for (const field of fieldsWithDefaults(schema)) {
    const target = object as Record<string, unknown>;
    const value = Object.hasOwn(target, field.name) ? target[field.name] : undefined;
    if (field.default !== undefined && (value === undefined || value === null || (!field.pointer && isZero(value)))) {
      if (field.pointer || !isZero(field.default)) target[field.name] = structuredClone(field.default);
    } else {
      visit(value, field.schema);
    }
  }
}

function visit(value: unknown, schema: Schema): void {
  if (typeof value !== "object" || value === null) return;
  switch (schema.type) {
    case "struct":
      applyDefaults(value, schema);
      return;
    case "list":
      if (Array.isArray(value) && reaches(schema.items)) for (const item of value) visit(item, schema.items);
      return;
    case "map":
      if (reaches(schema.values)) for (const held of Object.values(value)) visit(held, schema.values);
      return;
    case "scalar":
  }
}

const plans = new WeakMap<StructSchema, readonly Field[]>();
const inProgress = new Set<StructSchema>();

/** The fields that have a default or lead to one; most structs have none, and are not walked. */
function fieldsWithDefaults(schema: StructSchema): readonly Field[] {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  inProgress.add(schema);
  const fields = schema.fields.filter(
    (field) => field.asIs !== true && (field.default !== undefined || reaches(field.schema)),
  );
  inProgress.delete(schema);
  // Inside a cycle the answer is not final: only the outermost struct may keep it.
  if (inProgress.size === 0 || fields.length > 0) plans.set(schema, fields);
  return fields;
}

function reaches(schema: Schema): boolean {
  switch (schema.type) {
    case "struct":
      return !inProgress.has(schema) && fieldsWithDefaults(schema).length > 0;
    case "list":
      return reaches(schema.items);
    case "map":
      return reaches(schema.values);
    case "scalar":
      return false;
  }
}

function isZero(value: unknown): boolean {
  return value === undefined || value === "" || value === 0 || value === false;
}

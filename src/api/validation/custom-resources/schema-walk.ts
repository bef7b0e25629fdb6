import { isFields, list, type ReadonlyFields } from "../../../machinery/meta/access.js";

/** Whether a schema, or one inside it, is as `wanted` says. */
export function schemaHas(schema: unknown, wanted: (schema: ReadonlyFields) => boolean): boolean {
  if (!isFields(schema)) return false;
  return wanted(schema) || childrenOf(schema).some((inner) => schemaHas(inner, wanted));
}

function childrenOf(schema: ReadonlyFields): readonly unknown[] {
  return [
    ...(Array.isArray(schema.items) ? schema.items : [schema.items]),
    ...list(schema.allOf),
    ...list(schema.anyOf),
    ...list(schema.oneOf),
    schema.not,
    ...valuesOf(schema.properties),
    schema.additionalProperties,
    ...valuesOf(schema.patternProperties),
    schema.additionalItems,
    ...valuesOf(schema.definitions),
    ...valuesOf(schema.dependencies),
  ];
}

const valuesOf = (value: unknown): readonly unknown[] => (isFields(value) ? Object.values(value) : []);

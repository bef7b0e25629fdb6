import type { StructuralSchema } from "./structural-schema.js";

const known = new WeakMap<StructuralSchema, boolean>();

/** Whether a schema is that of an embedded resource or has one inside: most have none, and their objects are not walked. */
export function leadsToEmbedded(schema: StructuralSchema): boolean {
  let leads = known.get(schema);
  if (leads === undefined) {
    const { items, additionalProperties: others } = schema;
    leads =
      schema.embeddedResource ||
      (items !== undefined && leadsToEmbedded(items)) ||
      (typeof others === "object" && leadsToEmbedded(others)) ||
      [...schema.properties.values()].some(leadsToEmbedded);
    known.set(schema, leads);
  }
  return leads;
}

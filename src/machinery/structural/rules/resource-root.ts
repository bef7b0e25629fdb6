import type { StructuralSchema } from "../structural-schema.js";
import { structuralSchemaOf } from "../structural-schema.js";

const TEXT = structuralSchemaOf({ type: "string" });
const METADATA = structuralSchemaOf({
  type: "object",
  properties: { name: { type: "string" }, generateName: { type: "string" } },
});

const roots = new WeakMap<StructuralSchema, StructuralSchema>();

/**
 * The schema of a resource with what rules always see of it: apiVersion, kind, metadata.name and metadata.generateName. Source:
 * apiextensions' model.WithTypeAndObjectMeta.
 */
export function withTypeAndNames(schema: StructuralSchema): StructuralSchema {
  let root = roots.get(schema);
  if (root === undefined) {
    root = saysThemItself(schema) ? schema : completed(schema);
    roots.set(schema, root);
  }
  return root;
}

function saysThemItself({ properties }: StructuralSchema): boolean {
  const metadata = properties.get("metadata");
  const isText = (schema: StructuralSchema | undefined): boolean => schema?.type === "string";
  return (
    isText(properties.get("kind")) &&
    isText(properties.get("apiVersion")) &&
    metadata?.type === "object" &&
    isText(metadata.properties.get("name")) &&
    isText(metadata.properties.get("generateName"))
  );
}

function completed(schema: StructuralSchema): StructuralSchema {
  const { source, type, nullable, preservesUnknownFields, preservesAll, embeddedResource, intOrString } = schema;
  return {
    source,
    type,
    nullable,
    default: schema.default,
    properties: new Map([...schema.properties, ["kind", TEXT], ["apiVersion", TEXT], ["metadata", METADATA]]),
    additionalProperties: schema.additionalProperties,
    items: schema.items,
    preservesUnknownFields,
    preservesAll,
    embeddedResource,
    intOrString,
    listType: schema.listType,
    listMapKeys: schema.listMapKeys,
    mapType: schema.mapType,
    rules: schema.rules,
    validation: schema.validation,
  };
}

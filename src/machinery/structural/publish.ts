import { isFields, list, objects } from "../meta/access.js";
import type { JsonObject, JsonValue } from "../meta/json.js";
import type { PublishedForm } from "../schema/schema.js";
import type { StructuralSchema } from "./structural-schema.js";

/**
 * The schema of a custom resource as OpenAPI publishes it: nearly the definition's own in version 3, and without what clients of
 * version 2 cannot parse. Source: apiextensions' builder.BuildOpenAPIV2 and V3, ToStructuralOpenAPIV2.
 */
export function publishedSchema({ source }: StructuralSchema, form: PublishedForm): JsonObject {
  // Clients of version 2 take an object with properties to have no others.
  if (!form.isV3 && source[UNKNOWN] === true) return { type: "object" };
  return publish(source, form);
}

const UNKNOWN = "x-kubernetes-preserve-unknown-fields";
const INT_OR_STRING = "x-kubernetes-int-or-string";
const JUNCTORS = ["allOf", "anyOf", "oneOf", "not"];

/** A schema, which is shared where nothing in it changes. */
function publish(source: JsonObject, form: PublishedForm): JsonObject {
  const schema = form.isV3 ? unfolded(source) : forVersion2(source);
  const { properties, items, additionalProperties: others } = schema;
  const changed: JsonObject = {};
  if (isFields(properties)) {
    const published = mapped(properties, form);
    if (published !== properties) changed.properties = published;
  }
  for (const [name, inner] of [
    ["items", items],
    ["additionalProperties", others],
  ] as const) {
    if (!isFields(inner)) continue;
    const published = publish(inner, form);
    if (published !== inner) changed[name] = published;
  }
  const whole = Object.keys(changed).length === 0 ? schema : { ...schema, ...changed };
  return whole["x-kubernetes-embedded-resource"] === true ? asResource(whole, form) : whole;
}

function mapped(properties: JsonObject, form: PublishedForm): JsonObject {
  let isChanged = false;
  const entries = Object.entries(properties).map(([name, property]): [string, JsonValue] => {
    const published = publish(property as JsonObject, form);
    isChanged ||= published !== property;
    return [name, published];
  });
  return isChanged ? Object.fromEntries(entries) : properties;
}

/** An embedded resource's own fields, which the definition does not spell out. */
function asResource(schema: JsonObject, { isV3, meta }: PublishedForm): JsonObject {
  if (!isV3 && schema[UNKNOWN] === true) return schema;
  const required = list(schema.required) as readonly JsonValue[];
  const missing = ["kind", "apiVersion"].filter((name) => !required.includes(name));
  return {
    ...schema,
    properties: { ...(schema.properties as JsonObject | undefined), ...meta },
    required: [...required, ...missing],
  };
}

/** An int-or-string says in words of JSON schema what it may be. */
function unfolded(schema: JsonObject): JsonObject {
  if (schema[INT_OR_STRING] !== true) return schema;
  const either: JsonValue = [{ type: "integer" }, { type: "string" }];
  if (saysEither(schema.anyOf) || saysEither(objects(schema.allOf)[0]?.anyOf)) return schema;
  if (list(schema.anyOf).length === 0) return { ...schema, anyOf: either };
  return { ...schema, allOf: [{ anyOf: either }, ...(list(schema.allOf) as readonly JsonValue[])] };
}

function saysEither(anyOf: unknown): boolean {
  const types = objects(anyOf).map(({ type }) => type);
  return types.length === 2 && types[0] === "integer" && types[1] === "string";
}

function forVersion2(source: JsonObject): JsonObject {
  const schema: JsonObject = { ...source };
  for (const junctor of JUNCTORS) delete schema[junctor];
  const isNullable = schema.nullable === true;
  if (isNullable) {
    delete schema.type;
    delete schema.nullable;
  }
  const isOpen = schema[UNKNOWN] === true;
  if (isNullable || isOpen) {
    delete schema.items;
    delete schema.properties;
  }
  if ((schema.type === "array" && !isFields(schema.items)) || (isOpen && schema.type === "object")) delete schema.type;
  const required =
    isFields(schema.additionalProperties) && schema.additionalProperties.nullable === true
      ? []
      : list(schema.required).filter((name) => !isNullableProperty(schema.properties, name));
  if (required.length > 0) schema.required = required as JsonValue[];
  else delete schema.required;
  return schema;
}

function isNullableProperty(properties: unknown, name: unknown): boolean {
  if (!isFields(properties) || typeof name !== "string" || !Object.hasOwn(properties, name)) return false;
  const property = properties[name];
  return isFields(property) && property.nullable === true;
}

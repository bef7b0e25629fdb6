import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { PatchField, PatchSchema } from "../../machinery/patch/strategic-schema.js";
import type { PatchStrategy } from "../../machinery/schema/schema.js";

/** Reads merge keys from an OpenAPI v3 schema on demand. `schemas` resolves its references. */
export function patchSchemaOf(schema: JsonObject, schemas: JsonObject): PatchSchema {
  const fields = new Map<string, PatchField | undefined>();
  return {
    field(name) {
      if (!fields.has(name)) fields.set(name, fieldOf(schema, name, schemas));
      return fields.get(name);
    },
  };
}

function fieldOf(schema: JsonObject, name: string, schemas: JsonObject): PatchField | undefined {
  const properties = schema["properties"];
  const property =
    isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : schema["additionalProperties"];
  if (!isJsonObject(property)) return undefined;
  const strategies = property["x-kubernetes-patch-strategy"];
  const mergeKey = property["x-kubernetes-patch-merge-key"];
  const items = property["items"];
  const value = resolve(isJsonObject(items) ? items : property, schemas);
  return {
    ...(hasFields(value) && { schema: patchSchemaOf(value, schemas) }),
    strategies: typeof strategies === "string" ? strategies.split(",").filter(isStrategy) : [],
    ...(typeof mergeKey === "string" && { mergeKey }),
  };
}

/** Resolves a reference. It may be wrapped in an allOf, so that a default can stand beside it. */
function resolve(schema: JsonObject, schemas: JsonObject): JsonObject {
  const wrapped: JsonValue | undefined = Array.isArray(schema["allOf"]) ? schema["allOf"][0] : undefined;
  const reference = schema["$ref"] ?? (isJsonObject(wrapped) ? wrapped["$ref"] : undefined);
  if (typeof reference !== "string") return schema;
  const name = reference.replace(/^#\/components\/schemas\//, "");
  const target = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  return isJsonObject(target) ? target : schema;
}

function hasFields(schema: JsonObject): boolean {
  return isJsonObject(schema["properties"]) || isJsonObject(schema["additionalProperties"]);
}

function isStrategy(text: string): text is PatchStrategy {
  return text === "merge" || text === "replace" || text === "retainKeys";
}

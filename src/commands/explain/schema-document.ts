import { compareKeys } from "../../base/collections/key-order.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { OpenApiDocuments } from "../../client/openapi/openapi.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import { formatResource } from "../../machinery/rest-mapper.js";

/** An OpenAPI v3 document, which resolves references within itself. */
export class SchemaDocument {
  constructor(readonly root: JsonObject) {}

  /** The schema itself, or what it refers to where that is in this document. */
  resolve(schema: JsonObject): JsonObject {
    const target = this.target(schema["$ref"]);
    return target === undefined || Object.keys(target).length === 0 ? schema : target;
  }

  /** What "#/components/schemas/NAME" stands for; undefined for what is elsewhere or nowhere. */
  target(reference: JsonValue | undefined): JsonObject | undefined {
    if (typeof reference !== "string" || !/^#./.test(reference)) return undefined;
    let current: JsonObject = this.root;
    for (const key of decodeURIComponent(reference.slice(1)).split("/")) {
      if (key === "") continue;
      const next = Object.hasOwn(current, key) ? current[key] : undefined;
      if (!isJsonObject(next)) return undefined;
      current = next;
    }
    return current;
  }
}

/** The properties of a schema, sorted by name. */
export function propertiesOf(schema: JsonObject): readonly (readonly [string, JsonObject])[] {
  return sortedEntries(schema["properties"]).map(([name, property]) => [name, isJsonObject(property) ? property : {}]);
}

/** The fields of an object, sorted by name; empty for any other value. */
export function sortedEntries(value: JsonValue | undefined): readonly [string, JsonValue][] {
  return isJsonObject(value) ? Object.entries(value).sort(([a], [b]) => compareKeys(a, b)) : [];
}

/** Whether a schema states anything: `{}` does not. */
export function isStated(schema: JsonValue | undefined): schema is JsonObject {
  return isJsonObject(schema) && Object.keys(schema).length > 0;
}

/** The alternatives of `allOf`. */
export function partsOf(schema: JsonObject): readonly JsonObject[] {
  return Array.isArray(schema["allOf"]) ? schema["allOf"].filter(isJsonObject) : [];
}

/** The schemas of a list's items and of a map's values: `items`, then `additionalProperties`. */
export function heldBy(schema: JsonObject): readonly JsonObject[] {
  return [schema["items"], schema["additionalProperties"]].filter(isStated);
}

/** Text that is not empty, or undefined. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The document of OpenAPI v3 that describes a resource. Throws an error for a group version without one. */
export async function findDocument(resource: GroupVersionResource, documents: OpenApiDocuments): Promise<JsonObject> {
  const { group, version } = resource;
  const paths = await documents.paths().catch(because("failed to fetch list of groupVersions"));
  const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
  const url = paths.get(path);
  if (url === undefined) throw new Error(`couldn't find resource for "${formatResource(resource)}"`);
  return documents.document(url).catch(because(`failed to fetch openapi schema for ${path}`));
}

const because =
  (what: string) =>
  (error: unknown): never => {
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  };

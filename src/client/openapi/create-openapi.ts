import { isNotFound } from "../../machinery/errors/status-error.js";
import type { GroupVersion, GroupVersionKind } from "../../machinery/meta/gvk.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { PatchSchema, PatchField } from "../../machinery/patch/strategic-schema.js";
import type { RestClient } from "../rest/rest-client.js";
import { openApiDocuments } from "./documents.js";
import { fieldNamesAt } from "./openapi-fields.js";
import type { OpenApi, OpenApiDocuments } from "./openapi.js";
import type { PatchStrategy } from "../../machinery/schema/schema.js";

/** Creates an OpenAPI v3 client. It fetches each document once; kubectl's HTTP cache on disk may answer. */
export function createOpenApi(client: RestClient): OpenApi {
  return new OpenApiV3(openApiDocuments(client));
}

class OpenApiV3 implements OpenApi {
  constructor(readonly documents: OpenApiDocuments) {}

  async supportsPatchParameter(kind: GroupVersionKind, parameter: string): Promise<boolean | undefined> {
    const document = await this.document(kind);
    if (document === undefined) return undefined;
    const operation = patchOperation(document, kind);
    if (operation === undefined) return undefined;
    const parameters = operation["parameters"];
    return Array.isArray(parameters) && parameters.some((item) => names(item, parameter, document));
  }

  async describes(groupVersion: GroupVersion): Promise<boolean> {
    return (await this.document(groupVersion)) !== undefined;
  }

  async patchSchema(kind: GroupVersionKind): Promise<PatchSchema | undefined> {
    const document = await this.document(kind);
    if (document === undefined) return undefined;
    const operation = patchOperation(document, kind);
    const content = at(operation, "requestBody", "content");
    if (!isJsonObject(content) || content["application/strategic-merge-patch+json"] === undefined) return undefined;
    const found = schemaOf(document, kind);
    return found === undefined ? undefined : patchSchemaOf(found.schema, found.schemas);
  }

  async fieldNames(kind: GroupVersionKind, path: readonly string[]): Promise<readonly string[] | undefined> {
    const document = await this.document(kind);
    const found = document === undefined ? undefined : schemaOf(document, kind);
    return found === undefined ? undefined : fieldNamesAt(found.schema, found.schemas, path);
  }

  /** The document of a group-version; undefined when the server has none. */
  private async document({ group, version }: GroupVersion): Promise<JsonObject | undefined> {
    let paths: ReadonlyMap<string, string>;
    try {
      paths = await this.documents.paths();
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
    const url = paths.get(group === "" ? `api/${version}` : `apis/${group}/${version}`);
    return url === undefined ? undefined : this.documents.document(url);
  }
}

function patchOperation(document: JsonObject, kind: GroupVersionKind): JsonObject | undefined {
  const paths = document["paths"];
  for (const path of isJsonObject(paths) ? Object.values(paths) : []) {
    const operation = at(path, "patch");
    if (isJsonObject(operation) && isKind(operation["x-kubernetes-group-version-kind"], kind)) return operation;
  }
  return undefined;
}

function names(item: JsonValue, parameter: string, document: JsonObject): boolean {
  if (!isJsonObject(item)) return false;
  if (item["name"] === parameter && item["in"] === "query") return true;
  const reference = item["$ref"];
  if (typeof reference !== "string") return false;
  const shared = /^#\/(?:components\/)?parameters\/(.+)$/.exec(reference)?.[1];
  const target = shared === undefined ? undefined : at(document, "components", "parameters", shared);
  return isJsonObject(target) && target["name"] === parameter && target["in"] === "query";
}

/** The schema of a kind, with all schemas that it may refer to. */
function schemaOf(
  document: JsonObject,
  kind: GroupVersionKind,
): { readonly schema: JsonObject; readonly schemas: JsonObject } | undefined {
  const schemas = at(document, "components", "schemas");
  if (!isJsonObject(schemas)) return undefined;
  const schema = Object.values(schemas).find((candidate) => isSchemaOf(candidate, kind));
  return isJsonObject(schema) ? { schema, schemas } : undefined;
}

function isSchemaOf(schema: JsonValue, kind: GroupVersionKind): boolean {
  const kinds = at(schema, "x-kubernetes-group-version-kind");
  return Array.isArray(kinds) && kinds.some((item) => isKind(item, kind));
}

function isKind(value: JsonValue | undefined, { group, version, kind }: GroupVersionKind): boolean {
  return isJsonObject(value) && value["group"] === group && value["version"] === version && value["kind"] === kind;
}

function at(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let current = value;
  for (const key of path) current = isJsonObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  return current;
}

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

import { isNotFound } from "../../machinery/errors/status-error.js";
import type { GroupVersion, GroupVersionKind } from "../../machinery/meta/gvk.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { PatchSchema } from "../../machinery/patch/patch-schema.js";
import { DISCOVERY_TIMEOUT } from "../discovery/live-discovery.js";
import type { RestClient } from "../rest/rest-client.js";
import { patchSchemaOf } from "./openapi-patch-schema.js";
import type { OpenApi } from "./openapi.js";

/** OpenAPI v3 over a client. Each document is asked for once; kubectl's HTTP cache on disk answers where it can. */
export function createOpenApi(client: RestClient): OpenApi {
  return new OpenApiV3(client);
}

class OpenApiV3 implements OpenApi {
  private paths: Promise<ReadonlyMap<string, string>> | undefined;
  private readonly documents = new Map<string, Promise<JsonObject>>();

  constructor(private readonly client: RestClient) {}

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
    const schemas = at(document, "components", "schemas");
    if (!isJsonObject(schemas)) return undefined;
    const schema = Object.values(schemas).find((candidate) => isSchemaOf(candidate, kind));
    return isJsonObject(schema) ? patchSchemaOf(schema, schemas) : undefined;
  }

  /** The document of a group-version; undefined when the server has none. */
  private async document({ group, version }: GroupVersion): Promise<JsonObject | undefined> {
    let paths: ReadonlyMap<string, string>;
    try {
      paths = await (this.paths ??= this.index());
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
    const url = paths.get(group === "" ? `api/${version}` : `apis/${group}/${version}`);
    if (url === undefined) return undefined;
    let document = this.documents.get(url);
    if (document === undefined) {
      document = this.fetch(url);
      this.documents.set(url, document);
    }
    return document;
  }

  private async index(): Promise<ReadonlyMap<string, string>> {
    const answer = await this.client.request({
      method: "GET",
      path: "/openapi/v3",
      httpCache: true,
      ...DISCOVERY_TIMEOUT,
    });
    const paths = answer.json()["paths"];
    const urls = new Map<string, string>();
    for (const [path, item] of isJsonObject(paths) ? Object.entries(paths) : []) {
      const url = at(item, "serverRelativeURL");
      if (typeof url === "string") urls.set(path, url);
    }
    return urls;
  }

  private async fetch(url: string): Promise<JsonObject> {
    const prefix = new URL(this.client.server).pathname.replace(/\/$/, "");
    const relative = new URL(url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : url, "http://server");
    const query: Record<string, string | string[]> = { ...DISCOVERY_TIMEOUT.query };
    for (const key of relative.searchParams.keys()) query[key] = relative.searchParams.getAll(key);
    const answer = await this.client.request({
      method: "GET",
      path: relative.pathname,
      query,
      accept: "application/json",
      timeout: DISCOVERY_TIMEOUT.timeout,
      httpCache: true,
    });
    return answer.json();
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

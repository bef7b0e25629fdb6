import { own } from "../../base/collections/own.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { parseYaml } from "../../machinery/text/yaml/read.js";
import type { MergeType, MergeTypes } from "../merge/merge-schema.js";

/** Reads how lists are merged in the kinds of an OpenAPI document (Swagger 2.0, as JSON or YAML). */
export function customMergeTypes(text: string): MergeTypes {
  const document = parseYaml(text);
  const definitions = objectAt(document, "definitions");
  const byKind = new Map<string, JsonObject>();
  for (const definition of Object.values(definitions)) {
    if (!isJsonObject(definition)) continue;
    const kinds = definition["x-kubernetes-group-version-kind"];
    for (const gvk of Array.isArray(kinds) ? kinds : []) {
      if (!isJsonObject(gvk)) continue;
      const { group, version, kind } = gvk;
      const prefix = typeof group === "string" && group !== "" ? `${group}/` : "";
      byKind.set(`${prefix}${textOf(version)}/${textOf(kind)}`, definition);
    }
  }
  return (apiVersion, kind) => {
    const definition = byKind.get(`${apiVersion}/${kind}`);
    return definition === undefined ? undefined : mergeType(definition, definitions);
  };
}

function mergeType(schema: JsonObject, definitions: JsonObject): MergeType {
  const property = (name: string): JsonObject | undefined => {
    const found = own(objectAt(schema, "properties"), name) ?? schema["additionalProperties"];
    return isJsonObject(found) ? resolved(found, definitions) : undefined;
  };
  return {
    member: (name) => {
      const found = property(name);
      return found === undefined ? undefined : mergeType(found, definitions);
    },
    list: (name) => {
      const found = property(name);
      const strategy = textOf(found?.["x-kubernetes-patch-strategy"]).split(",");
      if (found === undefined || !strategy.includes("merge")) return undefined;
      const keys = found["x-kubernetes-list-map-keys"];
      const key = textOf(found["x-kubernetes-patch-merge-key"]);
      const items = found["items"];
      return {
        keys: Array.isArray(keys) ? keys.map(textOf) : key === "" ? [] : [key],
        elements: isJsonObject(items) ? mergeType(resolved(items, definitions), definitions) : undefined,
      };
    },
  };
}

function resolved(schema: JsonObject, definitions: JsonObject): JsonObject {
  const seen = new Set<string>();
  let at = schema;
  for (let ref = at["$ref"]; typeof ref === "string" && !seen.has(ref); ref = at["$ref"]) {
    seen.add(ref);
    const target = own(definitions, ref.replace("#/definitions/", ""));
    if (!isJsonObject(target)) return {};
    at = target;
  }
  return at;
}

const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

function objectAt(value: JsonValue | undefined, name: string): JsonObject {
  const held = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(held) ? held : {};
}

import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { parseYaml } from "../../machinery/text/yaml/read.js";
import { emptyConfig, mergeConfigs } from "./config.js";
import type { TransformerConfig } from "../facts/default-config.js";
import type { FieldSpec } from "../field-spec.js";
import { wrap } from "../field-spec.js";
import type { Loader } from "../loader.js";

/** Reads from the OpenAPI definitions in the files of `crds` which fields of custom kinds hold names, labels and annotations. */
export async function crdConfig(paths: readonly string[], loader: Loader): Promise<TransformerConfig> {
  let config = emptyConfig;
  for (const path of paths) {
    const text = await loader.load(path);
    const definitions = readDefinitions(path, text);
    for (const [name, schema] of definitions) {
      const properties = propertiesOf(schema);
      if (!["kind", "apiVersion", "metadata"].every((field) => Object.hasOwn(properties, field))) continue;
      const kind = name.split(".").at(-1) ?? "";
      config = mergeConfigs(config, configOf(kind, name, definitions, []));
    }
  }
  return config;
}

function readDefinitions(path: string, text: string): ReadonlyMap<string, JsonObject> {
  try {
    const value = parseYaml(text);
    if (!isJsonObject(value))
      throw new Error("json: cannot unmarshal array into Go value of type accumulator.nameToApiMap");
    return new Map(
      Object.entries(value)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, definition]) => [name, schemaOf(definition)]),
    );
  } catch (error) {
    throw wrap(error, `unable to parse open API definition from '${path}'`);
  }
}

function schemaOf(definition: JsonValue): JsonObject {
  if (definition === null) return {};
  if (!isJsonObject(definition)) {
    const word = Array.isArray(definition) ? "array" : typeof definition === "boolean" ? "bool" : typeof definition;
    throw new Error(
      `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${word} into Go value of type accumulator.OpenAPIDefinition`,
    );
  }
  const [, schema] = Object.entries(definition).find(([name]) => name.toLowerCase() === "schema") ?? [];
  return isJsonObject(schema) ? schema : {};
}

const propertiesOf = (schema: JsonObject): JsonObject =>
  isJsonObject(schema["properties"]) ? schema["properties"] : {};

function configOf(
  kind: string,
  name: string,
  definitions: ReadonlyMap<string, JsonObject>,
  path: readonly string[],
): TransformerConfig {
  let config = emptyConfig;
  const schema = definitions.get(name);
  if (schema === undefined) return config;
  for (const [field, property] of Object.entries(propertiesOf(schema))) {
    if (!isJsonObject(property)) continue;
    const at = [...path, field];
    const says = (extension: string): string | undefined => {
      const value = property[`x-kubernetes-${extension}`];
      return typeof value === "string" ? value : undefined;
    };
    const spec = (...more: readonly string[]): FieldSpec => ({
      group: "",
      version: "",
      kind,
      path: [...at, ...more].join("/"),
      create: false,
    });
    config = mergeConfigs(config, {
      ...emptyConfig,
      commonAnnotations: says("annotation") === undefined ? [] : [spec()],
      commonLabels: says("label-selector") === undefined ? [] : [spec()],
      namePrefix: says("identity") === undefined ? [] : [spec()],
    });
    const [version, target] = [says("object-ref-api-version"), says("object-ref-kind")];
    if (version !== undefined && target !== undefined) {
      const fields = [spec(says("object-ref-name-key") ?? "name")];
      const reference = { group: "", version, kind: target, fields };
      config = mergeConfigs(config, { ...emptyConfig, nameReference: [reference] });
    }
    const ref = property["$ref"];
    if (typeof ref === "string") config = mergeConfigs(config, configOf(kind, ref, definitions, at));
  }
  return config;
}

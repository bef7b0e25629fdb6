import { parseYaml } from "../../machinery/text/yaml/read.js";
import { objects } from "../../machinery/meta/access.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { defaultConfig, type NameReference, type TransformerConfig } from "../facts/default-config.js";
import { type FieldSpec, mergeSpecs, wrap } from "../field-spec.js";
import { decodeStruct, type Fields, listOf, struct, text } from "../go-struct.js";
import { compareGvk, gvkEquals, noGvk } from "../id.js";
import type { PartialFieldSpec } from "../kustomization.js";
import { fieldSpecShape } from "../kustomization-shape.js";
import type { Loader } from "../loader.js";

export const emptyConfig: TransformerConfig = {
  namePrefix: [],
  nameSuffix: [],
  namespace: [],
  commonLabels: [],
  labels: [],
  templateLabels: [],
  commonAnnotations: [],
  varReference: [],
  images: [],
  replicas: [],
  nameReference: [],
};

type Draft = { -readonly [Name in keyof TransformerConfig]: TransformerConfig[Name] };

type SpecName = Exclude<keyof TransformerConfig, "nameReference">;

/** In the order they are merged, with what an error calls them. */
const LISTS: readonly (readonly [SpecName, string])[] = [
  ["namePrefix", "NamePrefix"],
  ["nameSuffix", "NameSuffix"],
  ["namespace", "NameSpace"],
  ["commonAnnotations", "CommonAnnotations"],
  ["commonLabels", "CommonLabels"],
  ["labels", "Labels"],
  ["templateLabels", "TemplateLabels"],
  ["varReference", "VarReference"],
  ["images", "Images"],
  ["replicas", "Replicas"],
];

export function mergeConfigs(a: TransformerConfig, b: TransformerConfig): TransformerConfig {
  const merged: Draft = { ...a };
  for (const [name, label] of LISTS) {
    merged[name] = labelled(label, () => mergeSpecs(a[name], b[name])).toSorted(compareGvk);
  }
  merged.nameReference = labelled("NameReference", () =>
    b.nameReference.reduce(mergeReference, a.nameReference).toSorted(compareGvk),
  );
  return merged;
}

function labelled<T>(label: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw wrap(error, `failed to merge ${label} fieldSpec`);
  }
}

function mergeReference(references: readonly NameReference[], other: NameReference): readonly NameReference[] {
  if (!references.some((one) => gvkEquals(one, other))) return [...references, other];
  return references.map((one) =>
    gvkEquals(one, other) ? { ...one, fields: mergeSpecs(one.fields, other.fields) } : one,
  );
}

/** The default configuration with that of the files of `configurations`. */
export async function readConfigs(paths: readonly string[], loader: Loader): Promise<TransformerConfig> {
  let read = emptyConfig;
  for (const path of paths) read = mergeConfigs(read, parseConfig(await loader.load(path)));
  return mergeConfigs(defaultConfig, read);
}

const specLists: Fields = Object.fromEntries(LISTS.map(([name]) => [name, listOf(fieldSpecShape)]));

const configShape = struct("builtinconfig.TransformerConfig", {
  ...specLists,
  nameReference: listOf(
    struct("builtinconfig.NameBackReferences", {
      group: text,
      version: text,
      kind: text,
      fieldSpecs: listOf(fieldSpecShape),
    }),
  ),
});

function parseConfig(content: string): TransformerConfig {
  let value: JsonValue;
  try {
    value = decodeStruct(parseYaml(content), configShape, true);
  } catch (error) {
    const { message } = error as Error;
    if (message.startsWith("error converting")) throw error;
    throw new Error(`error unmarshaling JSON: while decoding JSON: ${message}`, { cause: error });
  }
  const object: JsonObject = isJsonObject(value) ? value : {};
  const config: Draft = { ...emptyConfig };
  for (const [name] of LISTS) config[name] = specsOf(object[name] as readonly PartialFieldSpec[] | undefined);
  config.nameReference = objects(object["nameReference"]).map(({ fieldSpecs, ...gvk }) => ({
    ...noGvk,
    ...gvk,
    fields: specsOf(fieldSpecs as readonly PartialFieldSpec[] | undefined),
  }));
  return config;
}

export const specsOf = (specs: readonly PartialFieldSpec[] | undefined): readonly FieldSpec[] =>
  (specs ?? []).map((spec) => ({ ...noGvk, path: "", create: false, ...spec }));

/** Encodes the configuration of the built-in plugin behind a field as YAML. Throws for values that YAML cannot represent. */
export function marshalBuiltIn(kind: string, marshal: () => string): string {
  try {
    return marshal();
  } catch (error) {
    throw wrap(error, `builtin ${kind} marshal`);
  }
}

/** Configures the plugin; an error includes the configuration. */
export async function configureBuiltIn<T>(kind: string, yaml: string, configure: () => Promise<T>): Promise<T> {
  try {
    return await configure();
  } catch (error) {
    throw wrap(error, `trouble configuring builtin ${kind} with config: \`\n${yaml}\``);
  }
}

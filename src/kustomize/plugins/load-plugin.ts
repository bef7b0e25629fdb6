import { wrap } from "../field-spec.js";
import { gvkText, idText } from "../id.js";
import type { Resource } from "../resource.js";
import type { Transform } from "../transformers/patches.js";
import type { Generate, PluginSource, ConfigureGenerator, ConfigureTransformer } from "./plugin.js";
import { addHashes } from "../transformers/hashes.js";
import { configMapGenerator, secretGenerator, helmChartInflationGenerator, iamPolicyGenerator } from "./generators.js";
import {
  imageTagTransformer,
  replicaCountTransformer,
  patchJson6902Transformer,
  patchStrategicMergeTransformer,
  patchTransformer,
  replacementTransformer,
  valueAddTransformer,
} from "./field-transformers.js";
import {
  annotationsTransformer,
  labelTransformer,
  namespaceTransformer,
  prefixSuffixTransformer,
  prefixTransformer,
  suffixTransformer,
} from "./metadata-transformers.js";

export type PluginContext = Omit<PluginSource, "yaml">;

/** Loads the generator that an object configures. Throws for one that is not built in, and for an invalid object. */
export async function loadGenerator(config: Resource, context: PluginContext): Promise<Generate> {
  const { generate } = await load(config, context);
  if (generate === undefined) throw new Error(`plugin ${idText(config.originalId)} not a generator`);
  return generate;
}

/** Makes the transformer or validator that an object configures. Throws as {@link loadGenerator} does. */
export async function loadTransformer(config: Resource, context: PluginContext): Promise<Transform> {
  const { transform } = await load(config, context);
  if (transform === undefined) throw new Error(`plugin ${idText(config.originalId)} not a transformer`);
  return transform;
}

interface Plugin {
  readonly generate?: Generate;
  readonly transform?: Transform;
}

async function load(config: Resource, context: PluginContext): Promise<Plugin> {
  const { gvk } = config;
  if (gvk.group !== "" || gvk.version !== "builtin") {
    throw new Error(`external plugins disabled; unable to load external plugin '${config.originalId.kind}'`);
  }
  const generator = GENERATORS.get(gvk.kind);
  if (generator !== undefined) return { generate: await configured(config, context, generator) };
  const transformer = TRANSFORMERS.get(gvk.kind);
  if (transformer !== undefined) return { transform: await configured(config, context, transformer) };
  throw new Error(`unable to load builtin ${gvkText(gvk)}`);
}

async function configured<T>(
  config: Resource,
  context: PluginContext,
  configure: (source: PluginSource) => Promise<T>,
): Promise<T> {
  const id = idText(config.originalId);
  const yaml = yamlOf(config, id);
  try {
    return await configure({ ...context, yaml });
  } catch (error) {
    throw wrap(error, `plugin ${id} fails configuration`);
  }
}

function yamlOf(config: Resource, id: string): string {
  try {
    return config.toYaml();
  } catch (error) {
    throw wrap(error, `marshalling yaml from res ${id}`);
  }
}

/** The built-in kinds of `generators`: `apiVersion: builtin` and one of these. */
const GENERATORS: ReadonlyMap<string, ConfigureGenerator> = new Map([
  ["ConfigMapGenerator", configMapGenerator],
  ["HelmChartInflationGenerator", helmChartInflationGenerator],
  ["IAMPolicyGenerator", iamPolicyGenerator],
  ["SecretGenerator", secretGenerator],
]);

/** Those of `transformers` and `validators`. Sorting is none of them: only the kustomization that is built sorts. */
const TRANSFORMERS: ReadonlyMap<string, ConfigureTransformer> = new Map([
  ["AnnotationsTransformer", annotationsTransformer],
  ["HashTransformer", async () => addHashes],
  ["ImageTagTransformer", imageTagTransformer],
  ["LabelTransformer", labelTransformer],
  ["NamespaceTransformer", namespaceTransformer],
  ["PatchJson6902Transformer", patchJson6902Transformer],
  ["PatchStrategicMergeTransformer", patchStrategicMergeTransformer],
  ["PatchTransformer", patchTransformer],
  ["PrefixSuffixTransformer", prefixSuffixTransformer],
  ["PrefixTransformer", prefixTransformer],
  ["ReplacementTransformer", replacementTransformer],
  ["ReplicaCountTransformer", replicaCountTransformer],
  ["SuffixTransformer", suffixTransformer],
  ["ValueAddTransformer", valueAddTransformer],
]);

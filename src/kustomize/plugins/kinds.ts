import { addHashes } from "../transformers/hashes.js";
import { configMapGenerator, secretGenerator } from "./config-map-and-secret.js";
import { helmChartInflationGenerator } from "./helm-chart.js";
import { iamPolicyGenerator } from "./iam-policy.js";
import { imageTagTransformer, replicaCountTransformer } from "./images-and-replicas.js";
import { annotationsTransformer, labelTransformer } from "./labels-and-annotations.js";
import { namespaceTransformer } from "./namespace.js";
import { patchJson6902Transformer, patchStrategicMergeTransformer, patchTransformer } from "./patches.js";
import type { ConfigureGenerator, ConfigureTransformer } from "./plugin.js";
import { prefixSuffixTransformer, prefixTransformer, suffixTransformer } from "./prefix-and-suffix.js";
import { replacementTransformer } from "./replacement.js";
import { valueAddTransformer } from "./value-add.js";

/** The built-in kinds of `generators`: `apiVersion: builtin` and one of these. */
export const GENERATORS: ReadonlyMap<string, ConfigureGenerator> = new Map([
  ["ConfigMapGenerator", configMapGenerator],
  ["HelmChartInflationGenerator", helmChartInflationGenerator],
  ["IAMPolicyGenerator", iamPolicyGenerator],
  ["SecretGenerator", secretGenerator],
]);

/** Those of `transformers` and `validators`. Sorting is none of them: only the kustomization that is built sorts. */
export const TRANSFORMERS: ReadonlyMap<string, ConfigureTransformer> = new Map([
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

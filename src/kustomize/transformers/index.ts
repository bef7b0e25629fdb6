import { configureBuiltIn, marshalBuiltIn, specsOf } from "../configuration/config.js";
import type { TransformerConfig } from "../facts/default-config.js";
import { type FieldSpec, mergeSpecs, wrap } from "../field-spec.js";
import type { Kustomization, LabelEntry } from "../kustomization.js";
import type { Loader } from "../loader.js";
import type { MergeTypes } from "../merge/merge-schema.js";
import { setImages, setReplicas } from "./images-and-replicas.js";
import { addEntries, affixNames, setNamespaces } from "./metadata-fields.js";
import { configText, json6902Transform, patchTransform, strategicMergeTransform, type Transform } from "./patches.js";
import { replacementTransform } from "./replacements.js";

/** One transformer of a kustomization. */
export interface Transformer {
  /** What kustomize calls it. */
  readonly kind: string;
  readonly transform: Transform;
}

/** The transformers of a kustomization, in running order. All their files are read before the first one runs. */
export async function transformersOf(
  kustomization: Kustomization,
  loader: Loader,
  config: TransformerConfig,
  { mergeTypes }: { readonly mergeTypes: MergeTypes },
): Promise<readonly Transformer[]> {
  const steps: Transformer[] = [];
  const add = (kind: string, transform: Transform): void => void steps.push({ kind, transform });
  const read = async (kind: string, shown: object, make: (yaml: string) => Promise<Transform>): Promise<void> => {
    const yaml = marshalBuiltIn(kind, () => configText(shown));
    add(kind, await configureBuiltIn(kind, yaml, () => make(yaml)));
  };

  const { patchesStrategicMerge = [], patches = [], patchesJson6902 = [], replacements = [] } = kustomization;
  if (patchesStrategicMerge.length > 0) {
    await read("PatchStrategicMergeTransformer", { paths: patchesStrategicMerge }, () =>
      strategicMergeTransform(patchesStrategicMerge, loader, mergeTypes),
    );
  }
  for (const entry of patches) {
    await read("PatchTransformer", entry, (yaml) => patchTransform(entry, loader, mergeTypes, yaml));
  }
  const { namespace = "", namePrefix = "", nameSuffix = "" } = kustomization;
  if (namespace !== "")
    add("NamespaceTransformer", (list) => setNamespaces(list, { namespace, specs: config.namespace }));
  if (namePrefix !== "") add("PrefixTransformer", (list) => affixNames(list, "prefix", namePrefix, config.namePrefix));
  if (nameSuffix !== "") add("SuffixTransformer", (list) => affixNames(list, "suffix", nameSuffix, config.nameSuffix));
  const { labels = [], commonLabels = {}, commonAnnotations = {} } = kustomization;
  for (const entry of labels) {
    const specs = labelSpecs(entry, config);
    add("LabelTransformer", (list) => addEntries(list, entry.pairs ?? {}, specs));
  }
  if (labels.length > 0 || Object.keys(commonLabels).length > 0) {
    add("LabelTransformer", (list) => addEntries(list, commonLabels, config.commonLabels));
  }
  if (Object.keys(commonAnnotations).length > 0) {
    add("AnnotationsTransformer", (list) => addEntries(list, commonAnnotations, config.commonAnnotations));
  }
  for (const entry of patchesJson6902) {
    const { patch: jsonOp, path, target } = entry;
    await read("PatchJson6902Transformer", { target, path, jsonOp }, () => json6902Transform(entry, loader));
  }
  for (const { name = "", count = 0 } of kustomization.replicas ?? []) {
    add("ReplicaCountTransformer", (list) => setReplicas(list, name, count, config.replicas));
  }
  for (const image of kustomization.images ?? []) {
    add("ImageTagTransformer", (list) => setImages(list, image, config.images));
  }
  if (replacements.length > 0) {
    await read("ReplacementTransformer", { Replacements: replacements }, () =>
      replacementTransform(replacements, loader),
    );
  }
  return steps;
}

function labelSpecs(entry: LabelEntry, config: TransformerConfig): readonly FieldSpec[] {
  try {
    const specs = mergeSpecs(specsOf(entry.fields), config.labels);
    if (entry.includeSelectors === true) return mergeSpecs(specs, config.commonLabels);
    const withTemplates = entry.includeTemplates === true ? templateSpecs(specs, config) : specs;
    const own: FieldSpec = { group: "", version: "", kind: "", path: "metadata/labels", create: true };
    return mergeSpecs(withTemplates, [own]);
  } catch (error) {
    throw wrap(error, "failed to merge labels");
  }
}

function templateSpecs(specs: readonly FieldSpec[], config: TransformerConfig): readonly FieldSpec[] {
  try {
    return mergeSpecs(specs, config.templateLabels);
  } catch (error) {
    throw wrap(error, "failed to merge template fieldSpec");
  }
}

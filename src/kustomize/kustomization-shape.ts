import {
  anything,
  embedded,
  type Fields,
  flag,
  integer,
  listOf,
  mapOf,
  named,
  type Shape,
  struct,
  text,
} from "./go-struct.js";

// The fields of kustomization files, as kustomize 5.8 has them.

const gvk: Fields = { group: text, version: text, kind: text };
const resId: Fields = { ...embedded("Gvk", gvk), name: text, namespace: text };
const stringMap = mapOf(text);
const texts = listOf(text);

const selector = struct("types.Selector", {
  ...embedded("ResId", resId),
  annotationSelector: text,
  labelSelector: text,
});

const patch = struct("types.Patch", {
  path: text,
  patch: text,
  target: selector,
  options: struct("types.PatchArgs", { allowNameChange: flag, allowKindChange: flag }),
});

export const fieldSpecShape: Shape = struct("types.FieldSpec", { ...embedded("Gvk", gvk), path: text, create: flag });

const generatorOptions = struct("types.GeneratorOptions", {
  labels: stringMap,
  annotations: stringMap,
  disableNameSuffixHash: flag,
  immutable: flag,
});

const generatorArgs: Fields = {
  namespace: text,
  name: text,
  behavior: text,
  ...embedded("KvPairSources", { literals: texts, files: texts, envs: texts, env: text }),
  options: generatorOptions,
};

const image = struct("types.Image", { name: text, newName: text, tagSuffix: text, newTag: text, digest: text });

const fieldOptions = struct("types.FieldOptions", {
  delimiter: text,
  index: integer("int"),
  encoding: text,
  create: flag,
});

const replacement: Fields = {
  source: struct("types.SourceSelector", { ...embedded("ResId", resId), fieldPath: text, options: fieldOptions }),
  targets: listOf(
    struct("types.TargetSelector", {
      select: selector,
      reject: listOf({ ...selector, go: "*types.Selector" }),
      fieldPaths: texts,
      options: fieldOptions,
    }),
  ),
  sourceValue: text,
};

export const replacementShape: Shape = struct("types.Replacement", replacement);

const helmChart = struct("types.HelmChart", {
  ...Object.fromEntries(
    [
      "name",
      "version",
      "repo",
      "releaseName",
      "namespace",
      "valuesFile",
      "valuesMerge",
      "kubeVersion",
      "nameTemplate",
    ].map((name) => [name, text]),
  ),
  ...Object.fromEntries(["includeCRDs", "skipHooks", "skipTests", "debug", "devel"].map((name) => [name, flag])),
  additionalValuesFiles: texts,
  apiVersions: texts,
  valuesInline: mapOf(anything),
});

const helmChartArgs = struct("types.HelmChartArgs", {
  ...Object.fromEntries(
    [
      "chartName",
      "chartVersion",
      "chartRepoUrl",
      "chartHome",
      "chartRepoName",
      "helmBin",
      "helmHome",
      "values",
      "valuesMerge",
      "releaseName",
      "releaseNamespace",
    ].map((name) => [name, text]),
  ),
  valuesLocal: mapOf(anything),
  extraArgs: texts,
});

const variable = struct("types.Var", {
  name: text,
  objref: struct("types.Target", { apiVersion: text, ...embedded("Gvk", gvk), name: text, namespace: text }),
  fieldref: struct("types.FieldSelector", { fieldPath: text }),
});

export const kustomizationShape: Shape = struct("types.Kustomization", {
  ...embedded("TypeMeta", { kind: text, apiVersion: text }),
  metadata: struct("types.ObjectMeta", { name: text, namespace: text, labels: stringMap, annotations: stringMap }),
  openapi: stringMap,
  namePrefix: text,
  nameSuffix: text,
  namespace: text,
  commonLabels: stringMap,
  labels: listOf(
    struct("types.Label", {
      pairs: stringMap,
      includeSelectors: flag,
      includeTemplates: flag,
      fields: listOf(fieldSpecShape),
    }),
  ),
  commonAnnotations: stringMap,
  patchesStrategicMerge: listOf(named("types.PatchStrategicMerge")),
  patchesJson6902: listOf(patch),
  patches: listOf(patch),
  images: listOf(image),
  imageTags: listOf(image),
  replacements: listOf(struct("types.ReplacementField", { ...embedded("Replacement", replacement), path: text })),
  replicas: listOf(struct("types.Replica", { name: text, count: integer("int64") })),
  vars: listOf(variable),
  sortOptions: struct("types.SortOptions", {
    order: named("types.SortOrder"),
    legacySortOptions: struct("types.LegacySortOptions", { orderFirst: texts, orderLast: texts }),
  }),
  resources: texts,
  components: texts,
  crds: texts,
  bases: texts,
  configMapGenerator: listOf(struct("types.ConfigMapArgs", embedded("GeneratorArgs", generatorArgs))),
  secretGenerator: listOf(struct("types.SecretArgs", { ...embedded("GeneratorArgs", generatorArgs), type: text })),
  helmGlobals: struct("types.HelmGlobals", { chartHome: text, configHome: text }),
  helmCharts: listOf(helmChart),
  helmChartInflationGenerator: listOf(helmChartArgs),
  generatorOptions,
  configurations: texts,
  generators: texts,
  transformers: texts,
  validators: texts,
  buildMetadata: texts,
});

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
export const stringMap: Shape = mapOf(text);
const texts = listOf(text);

export const metadataShape: Shape = struct("types.ObjectMeta", {
  name: text,
  namespace: text,
  labels: stringMap,
  annotations: stringMap,
});

export const selectorShape: Shape = struct("types.Selector", {
  ...embedded("ResId", resId),
  annotationSelector: text,
  labelSelector: text,
});

export const patchFields: Fields = {
  path: text,
  patch: text,
  target: selectorShape,
  options: struct("types.PatchArgs", { allowNameChange: flag, allowKindChange: flag }),
};

export const strategicMergePathsShape: Shape = listOf(named("types.PatchStrategicMerge"));

const patch = struct("types.Patch", patchFields);

export const fieldSpecShape: Shape = struct("types.FieldSpec", { ...embedded("Gvk", gvk), path: text, create: flag });
export const fieldSpecsShape: Shape = listOf(fieldSpecShape);

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

export const configMapFields: Fields = embedded("GeneratorArgs", generatorArgs);
export const secretFields: Fields = { ...configMapFields, type: text };

export const imageShape: Shape = struct("types.Image", {
  name: text,
  newName: text,
  tagSuffix: text,
  newTag: text,
  digest: text,
});

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
      select: selectorShape,
      reject: listOf({ ...selectorShape, go: "*types.Selector" }),
      fieldPaths: texts,
      options: fieldOptions,
    }),
  ),
  sourceValue: text,
};

export const replacementShape: Shape = struct("types.Replacement", replacement);

export const replacementsShape: Shape = listOf(
  struct("types.ReplacementField", { ...embedded("Replacement", replacement), path: text }),
);

export const helmChartFields: Fields = {
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
};

export const helmGlobalsFields: Fields = { chartHome: text, configHome: text };

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

export const replicaShape: Shape = struct("types.Replica", { name: text, count: integer("int64") });

const variable = struct("types.Var", {
  name: text,
  objref: struct("types.Target", { apiVersion: text, ...embedded("Gvk", gvk), name: text, namespace: text }),
  fieldref: struct("types.FieldSelector", { fieldPath: text }),
});

export const kustomizationShape: Shape = struct("types.Kustomization", {
  ...embedded("TypeMeta", { kind: text, apiVersion: text }),
  metadata: metadataShape,
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
      fields: fieldSpecsShape,
    }),
  ),
  commonAnnotations: stringMap,
  patchesStrategicMerge: strategicMergePathsShape,
  patchesJson6902: listOf(patch),
  patches: listOf(patch),
  images: listOf(imageShape),
  imageTags: listOf(imageShape),
  replacements: replacementsShape,
  replicas: listOf(replicaShape),
  vars: listOf(variable),
  sortOptions: struct("types.SortOptions", {
    order: named("types.SortOrder"),
    legacySortOptions: struct("types.LegacySortOptions", { orderFirst: texts, orderLast: texts }),
  }),
  resources: texts,
  components: texts,
  crds: texts,
  bases: texts,
  configMapGenerator: listOf(struct("types.ConfigMapArgs", configMapFields)),
  secretGenerator: listOf(struct("types.SecretArgs", secretFields)),
  helmGlobals: struct("types.HelmGlobals", helmGlobalsFields),
  helmCharts: listOf(struct("types.HelmChart", helmChartFields)),
  helmChartInflationGenerator: listOf(helmChartArgs),
  generatorOptions,
  configurations: texts,
  generators: texts,
  transformers: texts,
  validators: texts,
  buildMetadata: texts,
});

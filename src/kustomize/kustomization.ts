import { parseYaml } from "../machinery/text/yaml/read.js";
import { YamlError } from "../machinery/text/yaml/yaml-error.js";
import type { JsonValue } from "../machinery/meta/json.js";
import { decodeStruct } from "./go-struct.js";
import { chartsOf, globalsOf, type HelmChart, type HelmChartArgs, type HelmGlobals } from "./helm-charts.js";
import { kustomizationShape } from "./kustomization-shape.js";
import type { StringMap } from "./resource.js";

export interface PartialGvk {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}

export interface PartialFieldSpec extends PartialGvk {
  readonly path?: string;
  readonly create?: boolean;
}

export interface Selector extends PartialGvk {
  readonly name?: string;
  readonly namespace?: string;
  readonly annotationSelector?: string;
  readonly labelSelector?: string;
}

export interface PatchEntry {
  readonly path?: string;
  readonly patch?: string;
  readonly target?: Selector;
  readonly options?: { readonly allowNameChange?: boolean; readonly allowKindChange?: boolean };
}

export interface ImageEntry {
  readonly name?: string;
  readonly newName?: string;
  readonly tagSuffix?: string;
  readonly newTag?: string;
  readonly digest?: string;
}

export interface GeneratorOptions {
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly disableNameSuffixHash?: boolean;
  readonly immutable?: boolean;
}

export interface GeneratorEntry {
  readonly namespace?: string;
  readonly name?: string;
  readonly behavior?: string;
  readonly literals?: readonly string[];
  readonly files?: readonly string[];
  readonly envs?: readonly string[];
  readonly env?: string;
  readonly options?: GeneratorOptions;
  /** Of a Secret. */
  readonly type?: string;
}

export interface FieldOptions {
  readonly delimiter?: string;
  readonly index?: number;
  readonly create?: boolean;
}

export interface Replacement {
  readonly source?: PartialGvk & {
    readonly name?: string;
    readonly namespace?: string;
    readonly fieldPath?: string;
    readonly options?: FieldOptions;
  };
  readonly targets?: readonly {
    readonly select?: Selector;
    readonly reject?: readonly Selector[];
    readonly fieldPaths?: readonly string[];
    readonly options?: FieldOptions;
  }[];
  readonly sourceValue?: string;
}

export interface LabelEntry {
  readonly pairs?: StringMap;
  readonly includeSelectors?: boolean;
  readonly includeTemplates?: boolean;
  readonly fields?: readonly PartialFieldSpec[];
}

export interface VarEntry {
  readonly name?: string;
  readonly objref?: PartialGvk & {
    readonly apiVersion?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
  readonly fieldref?: { readonly fieldPath?: string };
}

export interface SortOptions {
  readonly order?: string;
  readonly legacySortOptions?: { readonly orderFirst?: readonly string[]; readonly orderLast?: readonly string[] };
}

/** The parsed kustomization file; absent fields were not given. */
export interface Kustomization {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly openapi?: StringMap;
  readonly namePrefix?: string;
  readonly nameSuffix?: string;
  readonly namespace?: string;
  readonly commonLabels?: StringMap;
  readonly labels?: readonly LabelEntry[];
  readonly commonAnnotations?: StringMap;
  readonly patchesStrategicMerge?: readonly string[];
  readonly patchesJson6902?: readonly PatchEntry[];
  readonly patches?: readonly PatchEntry[];
  readonly images?: readonly ImageEntry[];
  readonly imageTags?: readonly ImageEntry[];
  readonly replacements?: readonly (Replacement & { readonly path?: string })[];
  readonly replicas?: readonly { readonly name?: string; readonly count?: number | bigint }[];
  readonly vars?: readonly VarEntry[];
  readonly sortOptions?: SortOptions;
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly crds?: readonly string[];
  readonly bases?: readonly string[];
  readonly configMapGenerator?: readonly GeneratorEntry[];
  readonly secretGenerator?: readonly GeneratorEntry[];
  readonly helmGlobals?: HelmGlobals;
  readonly helmCharts?: readonly HelmChart[];
  readonly helmChartInflationGenerator?: readonly HelmChartArgs[];
  readonly generatorOptions?: GeneratorOptions;
  readonly configurations?: readonly string[];
  readonly generators?: readonly string[];
  readonly transformers?: readonly string[];
  readonly validators?: readonly string[];
  readonly buildMetadata?: readonly string[];
}

/** Reads a kustomization file; throws for fields that kustomize does not have. */
export function parseKustomization(text: string): Kustomization {
  let value: JsonValue;
  try {
    value = parseYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const message = error.message.replace(/^error converting YAML to JSON: /, "");
    throw new Error(`invalid Kustomization: ${message}`, { cause: error });
  }
  try {
    return (decodeStruct(value, kustomizationShape, true) ?? {}) as Kustomization;
  } catch (error) {
    throw new Error(`invalid Kustomization: ${(error as Error).message}`, { cause: error });
  }
}

const EDIT_FIX = "Run 'kustomize edit fix' to update your Kustomization automatically.";

const DEPRECATED: readonly (readonly [keyof Kustomization, string, string?])[] = [
  ["bases", "resources"],
  ["commonLabels", "labels"],
  ["imageTags", "images"],
  ["patchesJson6902", "patches"],
  ["patchesStrategicMerge", "patches"],
  ["vars", "replacements", "[EXPERIMENTAL] "],
];

/** Returns kustomize's warnings about deprecated fields. */
export const deprecations = (kustomization: Kustomization): readonly string[] =>
  DEPRECATED.filter(([name]) => kustomization[name] !== undefined).map(
    ([name, other, mark = ""]) =>
      `# Warning: '${name}' is deprecated. Please use '${other}' instead. ${mark}${EDIT_FIX}`,
  );

/** Fills in kind and version, and renames fields of old names. */
export function fixKustomization(given: Kustomization): Kustomization {
  const { bases, imageTags, helmChartInflationGenerator = [], ...rest } = given;
  const kind = rest.kind ?? "Kustomization";
  const said = kind === "" ? "Kustomization" : kind;
  const version = `kustomize.config.k8s.io/${said === "Component" ? "v1alpha1" : "v1beta1"}`;
  const joined = <T>(a: readonly T[] | undefined, b: readonly T[] | undefined): readonly T[] | undefined =>
    b === undefined || b.length === 0 ? a : [...(a ?? []), ...b];
  const fixed: Record<keyof Kustomization, unknown> = {
    ...(rest as Record<keyof Kustomization, unknown>),
    kind: said,
    apiVersion: rest.apiVersion === undefined || rest.apiVersion === "" ? version : rest.apiVersion,
    resources: joined(rest.resources, bases),
    images: joined(rest.images, imageTags),
    configMapGenerator: rest.configMapGenerator?.map(withEnvs),
    secretGenerator: rest.secretGenerator?.map(withEnvs),
    helmGlobals: rest.helmGlobals ?? globalsOf(helmChartInflationGenerator),
    helmCharts: joined(rest.helmCharts, chartsOf(helmChartInflationGenerator)),
  };
  return Object.fromEntries(Object.entries(fixed).filter(([, value]) => value !== undefined));
}

function withEnvs({ env, ...entry }: GeneratorEntry): GeneratorEntry {
  return env === undefined || env === "" ? entry : { ...entry, envs: [...(entry.envs ?? []), env] };
}

/** Whether a kustomization has nothing but kind and version. An empty text counts as absent; empty lists and maps do not. */
export const isEmptyKustomization = (kustomization: Kustomization): boolean =>
  Object.entries(kustomization).every(([name, value]) => name === "kind" || name === "apiVersion" || value === "");

/** Finds the faults of kind and version, one line each. */
export function wrongTypes({ kind = "", apiVersion = "" }: Kustomization): readonly string[] {
  const wrong: string[] = [];
  if (kind !== "Kustomization" && kind !== "Component") wrong.push("kind should be Kustomization or Component");
  const wanted = `kustomize.config.k8s.io/${kind === "Component" ? "v1alpha1" : "v1beta1"}`;
  if (apiVersion !== wanted) wrong.push(`apiVersion for ${kind} should be ${wanted}`);
  return wrong;
}

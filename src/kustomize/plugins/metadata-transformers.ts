import { struct, flag, named, text } from "../go-struct.js";
import type { PartialFieldSpec } from "../kustomization.js";
import { fieldSpecsShape, stringMap, metadataShape } from "../kustomization-shape.js";
import { specsOf } from "../configuration/config.js";
import type { StringMap } from "../resource.js";
import { addEntries, affixNames, setNamespaces, type SubjectMode } from "../transformers/metadata-fields.js";
import { configOf, type ConfigureTransformer, type PluginSource } from "./plugin.js";
import { goQuote } from "../../base/text/go-quote.js";
import { wrap } from "../field-spec.js";
import { decodeNodes } from "../nodes/read-nodes.js";

interface AffixConfig {
  readonly prefix?: string;
  readonly suffix?: string;
  readonly fieldSpecs?: readonly PartialFieldSpec[];
}

const fieldSpecs = { ...fieldSpecsShape, go: "types.FsSlice" };

const shapes = {
  prefix: struct("builtins.PrefixTransformerPlugin", { prefix: text, fieldSpecs }),
  suffix: struct("builtins.SuffixTransformerPlugin", { suffix: text, fieldSpecs }),
};

/** There is no default for the fields: a configuration says where the names are. Kustomize reads these two with another library. */
const affixTransformer =
  (side: "prefix" | "suffix"): ConfigureTransformer =>
  async ({ yaml }) => {
    const config = decodeNodes<AffixConfig>(yaml, shapes[side]);
    if (config.fieldSpecs === undefined) throw new Error("fieldSpecs is not expected to be nil");
    return (list) => affixNames(list, side, config[side] ?? "", specsOf(config.fieldSpecs));
  };

export const prefixTransformer = affixTransformer("prefix");
export const suffixTransformer = affixTransformer("suffix");

/** Makes the transformer of the deprecated kind that adds both a prefix and a suffix to names. */
export const prefixSuffixTransformer: ConfigureTransformer = async (source) => {
  const steps = [await prefixTransformer(source), await suffixTransformer(source)];
  return (list) => {
    for (const step of steps) step(list);
  };
};

interface LabelsConfig {
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly fieldSpecs?: readonly PartialFieldSpec[];
}

const labelShape = struct("builtins.LabelTransformerPlugin", { labels: stringMap, fieldSpecs: fieldSpecsShape });
const annotationShape = struct("builtins.AnnotationsTransformerPlugin", {
  annotations: stringMap,
  fieldSpecs: fieldSpecsShape,
});

export const labelTransformer: ConfigureTransformer = async (source) => {
  const { labels = {}, fieldSpecs } = configOf<LabelsConfig>(source, labelShape);
  return (list) => addEntries(list, labels, specsOf(fieldSpecs));
};

export const annotationsTransformer: ConfigureTransformer = async (source) => {
  const { annotations = {}, fieldSpecs } = configOf<LabelsConfig>(source, annotationShape);
  return (list) => addEntries(list, annotations, specsOf(fieldSpecs));
};

interface NamespaceConfig {
  readonly metadata?: { readonly namespace?: string };
  readonly fieldSpecs?: readonly PartialFieldSpec[];
  readonly unsetOnly?: boolean;
  readonly setRoleBindingSubjects?: string;
}

const namespaceShape = struct("builtins.NamespaceTransformerPlugin", {
  metadata: metadataShape,
  fieldSpecs: fieldSpecsShape,
  unsetOnly: flag,
  setRoleBindingSubjects: named("namespace.RoleBindingSubjectMode"),
});

const MODES: readonly SubjectMode[] = ["defaultOnly", "none", "allServiceAccounts"];

/** The transformer that sets the namespace in its configuration's own metadata. */
export const namespaceTransformer: ConfigureTransformer = async (source) => {
  const { metadata = {}, fieldSpecs, unsetOnly = false, setRoleBindingSubjects = "" } = read(source);
  const subjects = modeNamed(setRoleBindingSubjects === "" ? "defaultOnly" : setRoleBindingSubjects);
  const { namespace = "" } = metadata;
  return (list) => {
    if (namespace !== "") setNamespaces(list, { namespace, specs: specsOf(fieldSpecs), subjects, unsetOnly });
  };
};

function read(source: PluginSource): NamespaceConfig {
  try {
    return configOf<NamespaceConfig>(source, namespaceShape);
  } catch (error) {
    throw wrap(error, "unmarshalling NamespaceTransformer config");
  }
}

function modeNamed(name: string): SubjectMode {
  const mode = MODES.find((known) => known === name);
  if (mode !== undefined) return mode;
  const [first = "", second = "", third = ""] = MODES.map(goQuote);
  throw new Error(
    `invalid value ${goQuote(name)} for setRoleBindingSubjects: must be one of ${first}, ${second} or ${third}`,
  );
}

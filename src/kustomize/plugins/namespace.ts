import { goQuote } from "../../base/text/go-quote.js";
import { specsOf } from "../configuration/config.js";
import { wrap } from "../field-spec.js";
import { flag, named, struct } from "../go-struct.js";
import type { PartialFieldSpec } from "../kustomization.js";
import { fieldSpecsShape, metadataShape } from "../kustomization-shape.js";
import { setNamespaces, type SubjectMode } from "../transformers/namespace.js";
import { configOf, type ConfigureTransformer, type PluginSource } from "./plugin.js";

interface Config {
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

/** The namespace is that of the configuration's own metadata. */
export const namespaceTransformer: ConfigureTransformer = async (source) => {
  const { metadata = {}, fieldSpecs, unsetOnly = false, setRoleBindingSubjects = "" } = read(source);
  const subjects = modeNamed(setRoleBindingSubjects === "" ? "defaultOnly" : setRoleBindingSubjects);
  const { namespace = "" } = metadata;
  return (list) => {
    if (namespace !== "") setNamespaces(list, { namespace, specs: specsOf(fieldSpecs), subjects, unsetOnly });
  };
};

function read(source: PluginSource): Config {
  try {
    return configOf<Config>(source, namespaceShape);
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

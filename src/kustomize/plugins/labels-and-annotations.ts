import { struct } from "../go-struct.js";
import type { PartialFieldSpec } from "../kustomization.js";
import { fieldSpecsShape, stringMap } from "../kustomization-shape.js";
import { specsOf } from "../configuration/config.js";
import type { StringMap } from "../resource.js";
import { addEntries } from "../transformers/metadata.js";
import { configOf, type ConfigureTransformer } from "./plugin.js";

interface Config {
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
  const { labels = {}, fieldSpecs } = configOf<Config>(source, labelShape);
  return (list) => addEntries(list, labels, specsOf(fieldSpecs));
};

export const annotationsTransformer: ConfigureTransformer = async (source) => {
  const { annotations = {}, fieldSpecs } = configOf<Config>(source, annotationShape);
  return (list) => addEntries(list, annotations, specsOf(fieldSpecs));
};

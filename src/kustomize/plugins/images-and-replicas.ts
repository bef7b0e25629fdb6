import { specsOf } from "../configuration/config.js";
import { struct } from "../go-struct.js";
import type { ImageEntry, PartialFieldSpec } from "../kustomization.js";
import { fieldSpecsShape, imageShape, replicaShape } from "../kustomization-shape.js";
import { setImages } from "../transformers/images.js";
import { setReplicas } from "../transformers/replicas.js";
import { configOf, type ConfigureTransformer } from "./plugin.js";

interface Config {
  readonly imageTag?: ImageEntry;
  readonly replica?: { readonly name?: string; readonly count?: number | bigint };
  readonly fieldSpecs?: readonly PartialFieldSpec[];
}

const imageTagShape = struct("builtins.ImageTagTransformerPlugin", {
  imageTag: imageShape,
  fieldSpecs: fieldSpecsShape,
});

const replicaCountShape = struct("builtins.ReplicaCountTransformerPlugin", {
  replica: replicaShape,
  fieldSpecs: fieldSpecsShape,
});

export const imageTagTransformer: ConfigureTransformer = async (source) => {
  const { imageTag = {}, fieldSpecs } = configOf<Config>(source, imageTagShape);
  return (list) => setImages(list, imageTag, specsOf(fieldSpecs));
};

export const replicaCountTransformer: ConfigureTransformer = async (source) => {
  const { replica = {}, fieldSpecs } = configOf<Config>(source, replicaCountShape);
  return (list) => setReplicas(list, replica.name ?? "", replica.count ?? 0, specsOf(fieldSpecs));
};

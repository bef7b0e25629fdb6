import { struct, text, type Fields, integer, listOf } from "../go-struct.js";
import type { PatchEntry, Selector, Kustomization, ImageEntry, PartialFieldSpec } from "../kustomization.js";
import {
  patchFields,
  selectorShape,
  strategicMergePathsShape,
  replacementsShape,
  fieldSpecsShape,
  imageShape,
  replicaShape,
} from "../kustomization-shape.js";
import { json6902Transform, patchTransform, strategicMergeTransform } from "../transformers/patches.js";
import { configOf, type ConfigureTransformer } from "./plugin.js";
import { replacementTransform } from "../transformers/replacements.js";
import { decodeYaml } from "../nodes/read-nodes.js";
import { addValue, type ValueTarget } from "../transformers/value-add.js";
import { specsOf } from "../configuration/config.js";
import { setImages, setReplicas } from "../transformers/images-and-replicas.js";

const patchShape = struct("builtins.PatchTransformerPlugin", patchFields);

const json6902Shape = struct("builtins.PatchJson6902TransformerPlugin", {
  target: selectorShape,
  path: text,
  jsonOp: text,
});

const strategicMergeShape = struct("builtins.PatchStrategicMergeTransformerPlugin", {
  paths: strategicMergePathsShape,
  patches: text,
});

export const patchTransformer: ConfigureTransformer = async (source) =>
  patchTransform(configOf<PatchEntry>(source, patchShape), source.loader, source.mergeTypes, source.yaml);

interface Json6902 {
  readonly target?: Selector;
  readonly path?: string;
  readonly jsonOp?: string;
}

export const patchJson6902Transformer: ConfigureTransformer = async (source) => {
  const { jsonOp, ...entry } = configOf<Json6902>(source, json6902Shape);
  return json6902Transform({ ...entry, ...(jsonOp !== undefined && { patch: jsonOp }) }, source.loader);
};

interface StrategicMerge {
  readonly paths?: readonly string[];
  readonly patches?: string;
}

export const patchStrategicMergeTransformer: ConfigureTransformer = async (source) => {
  const { paths = [], patches = "" } = configOf<StrategicMerge>(source, strategicMergeShape);
  if (paths.length === 0 && patches === "") throw new Error("empty file path and empty patch content");
  return strategicMergeTransform(paths, source.loader, source.mergeTypes, patches);
};

const replacementShape = struct("builtins.ReplacementTransformerPlugin", { replacements: replacementsShape });

export const replacementTransformer: ConfigureTransformer = async (source) => {
  const { replacements = [] } = configOf<Pick<Kustomization, "replacements">>(source, replacementShape);
  return replacementTransform(replacements, source.loader);
};

const targets: Fields = {
  targets: listOf(
    struct("builtins.Target", { selector: selectorShape, fieldPath: text, filePathPosition: integer("int") }),
  ),
};

const valueAddShape = struct("builtins.ValueAddTransformerPlugin", { value: text, ...targets, targetFilePath: text });

interface Targets {
  readonly targets?: readonly ValueTarget[];
}

interface ValueAddConfig extends Targets {
  /** The name of the kustomization's folder where there is none. */
  readonly value?: string;
  readonly targetFilePath?: string;
}

export const valueAddTransformer: ConfigureTransformer = async (source) => {
  const config = configOf<ValueAddConfig>(source, valueAddShape);
  const given = (config.value ?? "").trim();
  const value = given === "" ? source.loader.folderName : given;
  const { targetFilePath = "" } = config;
  const file = targetFilePath === "" ? "" : await source.loader.load(targetFilePath);
  const all = [...(config.targets ?? []), ...(decodeYaml<Targets | null>(file, struct("", targets))?.targets ?? [])];
  if (all.length === 0) throw new Error("must specify at least one target");
  for (const { fieldPath = "", filePathPosition = 0 } of all) {
    if (fieldPath === "") throw new Error("fieldPath cannot be empty");
    if (filePathPosition < 0) throw new Error(`value of FilePathPosition (${filePathPosition}) cannot be negative`);
  }
  return (list) => addValue(list, value, all);
};

interface ImagesConfig {
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
  const { imageTag = {}, fieldSpecs } = configOf<ImagesConfig>(source, imageTagShape);
  return (list) => setImages(list, imageTag, specsOf(fieldSpecs));
};

export const replicaCountTransformer: ConfigureTransformer = async (source) => {
  const { replica = {}, fieldSpecs } = configOf<ImagesConfig>(source, replicaCountShape);
  return (list) => setReplicas(list, replica.name ?? "", replica.count ?? 0, specsOf(fieldSpecs));
};

import { struct, text } from "../go-struct.js";
import type { PatchEntry, Selector } from "../kustomization.js";
import { patchFields, selectorShape, strategicMergePathsShape } from "../kustomization-shape.js";
import { json6902Transform, patchTransform, strategicMergeTransform } from "../transformers/patches.js";
import { configOf, type ConfigureTransformer } from "./plugin.js";

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

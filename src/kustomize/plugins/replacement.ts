import { struct } from "../go-struct.js";
import type { Kustomization } from "../kustomization.js";
import { replacementsShape } from "../kustomization-shape.js";
import { replacementTransform } from "../transformers/replacements.js";
import { configOf, type ConfigureTransformer } from "./plugin.js";

const replacementShape = struct("builtins.ReplacementTransformerPlugin", { replacements: replacementsShape });

export const replacementTransformer: ConfigureTransformer = async (source) => {
  const { replacements = [] } = configOf<Pick<Kustomization, "replacements">>(source, replacementShape);
  return replacementTransform(replacements, source.loader);
};

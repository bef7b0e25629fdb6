import { specsOf } from "../configuration/config.js";
import { decodeNodes } from "../nodes/decode-nodes.js";
import { struct, text } from "../go-struct.js";
import type { PartialFieldSpec } from "../kustomization.js";
import { fieldSpecsShape } from "../kustomization-shape.js";
import { affixNames } from "../transformers/names.js";
import type { ConfigureTransformer } from "./plugin.js";

interface Config {
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
    const config = decodeNodes<Config>(yaml, shapes[side]);
    if (config.fieldSpecs === undefined) throw new Error("fieldSpecs is not expected to be nil");
    return (list) => affixNames(list, side, config[side] ?? "", specsOf(config.fieldSpecs));
  };

export const prefixTransformer = affixTransformer("prefix");
export const suffixTransformer = affixTransformer("suffix");

/** The deprecated kind that does both. */
export const prefixSuffixTransformer: ConfigureTransformer = async (source) => {
  const steps = [await prefixTransformer(source), await suffixTransformer(source)];
  return (list) => {
    for (const step of steps) step(list);
  };
};

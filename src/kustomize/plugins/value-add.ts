import { decodeYaml } from "../nodes/decode-yaml.js";
import { type Fields, integer, listOf, struct, text } from "../go-struct.js";
import { selectorShape } from "../kustomization-shape.js";
import { addValue, type ValueTarget } from "../transformers/value-add.js";
import { configOf, type ConfigureTransformer } from "./plugin.js";

const targets: Fields = {
  targets: listOf(
    struct("builtins.Target", { selector: selectorShape, fieldPath: text, filePathPosition: integer("int") }),
  ),
};

const valueAddShape = struct("builtins.ValueAddTransformerPlugin", { value: text, ...targets, targetFilePath: text });

interface Targets {
  readonly targets?: readonly ValueTarget[];
}

interface Config extends Targets {
  /** The name of the kustomization's folder where there is none. */
  readonly value?: string;
  readonly targetFilePath?: string;
}

export const valueAddTransformer: ConfigureTransformer = async (source) => {
  const config = configOf<Config>(source, valueAddShape);
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

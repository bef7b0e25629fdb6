import { generate } from "../generators.js";
import { embedded, struct } from "../go-struct.js";
import type { GeneratorEntry } from "../kustomization.js";
import { configMapFields, metadataShape, secretFields } from "../kustomization-shape.js";
import { configOf, type ConfigureGenerator } from "./plugin.js";

interface Config extends GeneratorEntry {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

const configMapShape = struct("builtins.ConfigMapGeneratorPlugin", {
  metadata: metadataShape,
  ...embedded("ConfigMapArgs", configMapFields),
});

const secretShape = struct("builtins.SecretGeneratorPlugin", {
  metadata: metadataShape,
  ...embedded("SecretArgs", secretFields),
});

/** Name and namespace may also stand in the metadata. */
const generator =
  (kind: "ConfigMap" | "Secret", shape: typeof configMapShape): ConfigureGenerator =>
  async (source) => {
    const { metadata = {}, ...args } = configOf<Config>(source, shape);
    const name = (args.name ?? "") === "" ? (metadata.name ?? "") : (args.name ?? "");
    const namespace = (args.namespace ?? "") === "" ? (metadata.namespace ?? "") : (args.namespace ?? "");
    return async () => [await generate(kind, { ...args, name, namespace }, source.loader)];
  };

export const configMapGenerator = generator("ConfigMap", configMapShape);
export const secretGenerator = generator("Secret", secretShape);

import { decodeYaml } from "../nodes/read-nodes.js";
import type { Shape } from "../go-struct.js";
import type { Loader } from "../loader.js";
import type { MergeTypes } from "../merge/merge-schema.js";
import type { Resource } from "../resource.js";
import type { Transform } from "../transformers/patches.js";

/** The source of a plugin's configuration. */
export interface PluginSource {
  /** The configuration object as YAML. */
  readonly yaml: string;
  /** Reads the files of the kustomization that names the plugin. */
  readonly loader: Loader;
  readonly mergeTypes: MergeTypes;
  /** The program that renders charts; undefined where charts are not enabled. */
  readonly helmCommand: string | undefined;
}

/** Makes the objects that are to be added. */
export type Generate = () => Promise<readonly Resource[]>;

/** Reads a configuration, and the files that it names; throws for a configuration that is wrong. */
export type ConfigureGenerator = (source: PluginSource) => Promise<Generate>;
export type ConfigureTransformer = (source: PluginSource) => Promise<Transform>;

/** Decodes the configuration of a plugin. `T` is the shape's type. */
export const configOf = <T>({ yaml }: PluginSource, shape: Shape): T => decodeYaml<T>(yaml, shape);

import type { ExtensionPoint } from "./extension-points.js";
import type { PluginFactory } from "./framework/plugin.js";

/** The plugins that run, at all their extension points or at one. */
export interface PluginChoice {
  /** Plugins that do not run; "*" stands for all that are not named in `enabled`. */
  readonly disabled?: readonly string[];
  /** Plugins with a weight other than their own, or that "*" would leave out. Scores are multiplied by the weight. */
  readonly enabled?: readonly { readonly name: string; readonly weight?: number }[];
}

/** A scheduler by name: pods choose it by spec.schedulerName. */
export interface SchedulerProfile {
  /** Default "default-scheduler". */
  readonly schedulerName?: string;
  /** After which share of the nodes that fit, in percent, a cycle looks no further; at least 100 nodes. 0 or left out: adapts to the number of nodes. */
  readonly percentageOfNodesToScore?: number;
  readonly plugins?: PluginChoice & {
    /** The same for single extension points, which come before the choice for all of them: {score: {disabled: ["ImageLocality"]}}. */
    readonly at?: Readonly<Partial<Record<ExtensionPoint, PluginChoice>>>;
  };
  /** What plugins are configured with, by their names, as kube-scheduler's args: {NodeResourcesFit: {scoringStrategy: {type: "MostAllocated"}}}. */
  readonly pluginConfig?: Readonly<Record<string, unknown>>;
}

/** The settings of kube-scheduler's configuration file, as far as they are supported. */
export interface SchedulerOptions {
  /** Default: one, with the default plugins. */
  readonly profiles?: readonly SchedulerProfile[];
  /** Plugins of the caller's own by name; they run in every profile that does not disable them, after the default ones, with weight 1. */
  readonly plugins?: Readonly<Record<string, PluginFactory>>;
  /** For profiles without one of their own. */
  readonly percentageOfNodesToScore?: number;
  /** Seconds before a rejected pod is tried again for the first time. Default 1. */
  readonly podInitialBackoffSeconds?: number;
  /** The longest such wait. Default 10. */
  readonly podMaxBackoffSeconds?: number;
}

export const DEFAULT_SCHEDULER = "default-scheduler";

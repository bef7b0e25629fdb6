import { dictionary } from "../../base/collections/dictionary.js";
import { parseDuration } from "../../component/flags/flag-value.js";
import { readText } from "../../base/files/read-file.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { type ConfigurationFormat, decodeConfigurationStrictly } from "../../machinery/wire/configuration-document.js";
import { anyJson, boolean, float64, int32, int64, list, string, struct } from "../../machinery/schema/build-schema.js";
import type { Schema, StructSchema } from "../../machinery/schema/schema.js";
import { EXTENSION_POINTS, type ExtensionPoint } from "../../scheduler/extension-points.js";
import type { PluginChoice, SchedulerOptions, SchedulerProfile } from "../../scheduler/options.js";
import type { RequestRate } from "../programs/connection.js";
import type { ElectionSettings } from "../programs/lead.js";

/** The settings of a KubeSchedulerConfiguration. */
export interface SchedulerConfiguration {
  readonly scheduler: SchedulerOptions;
  readonly election: Partial<ElectionSettings> & { readonly lock?: string };
  /** A path, or "". */
  readonly kubeconfig: string;
  readonly rate: RequestRate | undefined;
  /** Fields that are set and have no effect. */
  readonly withoutEffect: readonly string[];
}

interface WireChoice {
  readonly enabled?: readonly { readonly name?: string; readonly weight?: number }[];
  readonly disabled?: readonly { readonly name?: string }[];
}

interface WireProfile {
  readonly schedulerName?: string;
  readonly percentageOfNodesToScore?: number;
  readonly plugins?: Readonly<
    Partial<Record<ExtensionPoint | "multiPoint" | "placementGenerate" | "placementScore", WireChoice>>
  >;
  readonly pluginConfig?: readonly { readonly name?: string; readonly args?: JsonValue }[];
}

interface WireConfiguration {
  readonly parallelism?: number;
  readonly leaderElection?: {
    readonly leaderElect?: boolean;
    readonly leaseDuration?: string;
    readonly renewDeadline?: string;
    readonly retryPeriod?: string;
    readonly resourceLock?: string;
    readonly resourceName?: string;
    readonly resourceNamespace?: string;
  };
  readonly clientConnection?: { readonly kubeconfig?: string; readonly qps?: number; readonly burst?: number };
  readonly percentageOfNodesToScore?: number;
  readonly podInitialBackoffSeconds?: number;
  readonly podMaxBackoffSeconds?: number;
  readonly profiles?: readonly WireProfile[];
  readonly extenders?: readonly JsonValue[];
  readonly delayCacheUntilActive?: boolean;
}

const typed = (name: string, fields: Readonly<Record<string, Schema>>): StructSchema => ({
  ...struct(name, fields),
  goType: `v1.${name}`,
});

const PLUGIN = typed("Plugin", { name: string, weight: int32 });
const PLUGIN_SET = typed("PluginSet", { enabled: list(PLUGIN), disabled: list(PLUGIN) });
const POINTS = Object.fromEntries([...EXTENSION_POINTS, "multiPoint"].map((point) => [point, PLUGIN_SET]));

const FORMAT: ConfigurationFormat = {
  group: "kubescheduler.config.k8s.io",
  kind: "KubeSchedulerConfiguration",
  scheme: "pkg/scheduler/apis/config/scheme/scheme.go:30",
  versions: new Map([
    [
      "v1",
      typed("KubeSchedulerConfiguration", {
        kind: string,
        apiVersion: string,
        parallelism: int32,
        leaderElection: typed("LeaderElectionConfiguration", {
          leaderElect: boolean,
          leaseDuration: string,
          renewDeadline: string,
          retryPeriod: string,
          resourceLock: string,
          resourceName: string,
          resourceNamespace: string,
        }),
        clientConnection: typed("ClientConnectionConfiguration", {
          kubeconfig: string,
          acceptContentTypes: string,
          contentType: string,
          qps: float64,
          burst: int32,
        }),
        enableProfiling: boolean,
        enableContentionProfiling: boolean,
        percentageOfNodesToScore: int32,
        podInitialBackoffSeconds: int64,
        podMaxBackoffSeconds: int64,
        profiles: list(
          typed("KubeSchedulerProfile", {
            schedulerName: string,
            percentageOfNodesToScore: int32,
            plugins: typed("Plugins", POINTS),
            pluginConfig: list(typed("PluginConfig", { name: string, args: anyJson })),
          }),
        ),
        extenders: list(anyJson),
        delayCacheUntilActive: boolean,
      }),
    ],
  ]),
};

/** The fields that plugins' arguments have, beside kind and apiVersion. */
const ARGS: Readonly<Record<string, readonly string[]>> = dictionary({
  DefaultPreemption: ["minCandidateNodesPercentage", "minCandidateNodesAbsolute"],
  InterPodAffinity: ["hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods"],
  NodeAffinity: ["addedAffinity"],
  NodeResourcesBalancedAllocation: ["resources"],
  NodeResourcesFit: ["ignoredResources", "ignoredResourceGroups", "scoringStrategy"],
  PodTopologySpread: ["defaultConstraints", "defaultingType"],
  VolumeBinding: ["bindTimeoutSeconds"],
});

const UNOBEYED = ["parallelism", "enableProfiling", "enableContentionProfiling", "delayCacheUntilActive"] as const;

/** Reads a file of --config. Rejects with an error that names the file, and the field in it. */
export async function readSchedulerConfiguration(path: string): Promise<SchedulerConfiguration> {
  const text = await readText(path);
  try {
    const { readConfigurationDocument } = await import("../../machinery/text/yaml/configuration-document.js");
    return decodeSchedulerConfiguration(readConfigurationDocument(text));
  } catch (error) {
    throw new Error(`${path}: ${errorMessage(error)}`, { cause: error });
  }
}

function decodeSchedulerConfiguration(
  document: Parameters<typeof decodeConfigurationStrictly>[0],
): SchedulerConfiguration {
  const { object } = decodeConfigurationStrictly<WireConfiguration>(document, FORMAT);
  const { extenders = [], clientConnection = {}, profiles = [] } = object;
  if (extenders.length > 0) throw new Error("extenders: not supported; write a plugin, or run kube-scheduler itself");
  const { percentageOfNodesToScore, podInitialBackoffSeconds, podMaxBackoffSeconds } = object;
  const { kubeconfig = "", qps, burst } = clientConnection;
  return {
    scheduler: {
      ...(percentageOfNodesToScore !== undefined && { percentageOfNodesToScore }),
      ...(podInitialBackoffSeconds !== undefined && { podInitialBackoffSeconds }),
      ...(podMaxBackoffSeconds !== undefined && { podMaxBackoffSeconds }),
      ...(profiles.length > 0 && { profiles: profiles.map(profileOf) }),
    },
    election: electionOf(object.leaderElection ?? {}),
    kubeconfig,
    rate: qps === undefined && burst === undefined ? undefined : rateOf(qps, burst),
    withoutEffect: UNOBEYED.filter((field) => field in object),
  };
}

function rateOf(perSecond = 50, burst = 100): RequestRate | undefined {
  // As client-go: no limit.
  if (perSecond < 0) return undefined;
  return { perSecond: perSecond || 50, burst: burst || 100 };
}

function electionOf(given: NonNullable<WireConfiguration["leaderElection"]>): SchedulerConfiguration["election"] {
  const { leaderElect, resourceLock, resourceName, resourceNamespace } = given;
  const duration = (field: "leaseDuration" | "renewDeadline" | "retryPeriod"): { readonly [key: string]: number } => {
    const text = given[field];
    if (text === undefined) return {};
    try {
      return { [field]: parseDuration(text) };
    } catch (error) {
      throw new Error(`leaderElection.${field}: ${errorMessage(error)}`, { cause: error });
    }
  };
  return {
    ...(leaderElect !== undefined && { enabled: leaderElect }),
    ...(resourceLock && { lock: resourceLock }),
    ...(resourceName && { name: resourceName }),
    ...(resourceNamespace && { namespace: resourceNamespace }),
    ...duration("leaseDuration"),
    ...duration("renewDeadline"),
    ...duration("retryPeriod"),
  };
}

function profileOf(
  { schedulerName, percentageOfNodesToScore, plugins = {}, pluginConfig = [] }: WireProfile,
  index: number,
): SchedulerProfile {
  const { multiPoint, ...points } = plugins;
  const at = Object.entries(points).map(([point, choice]) => [point, choiceOf(choice)]);
  return {
    ...(schedulerName && { schedulerName }),
    ...(percentageOfNodesToScore !== undefined && { percentageOfNodesToScore }),
    plugins: { ...choiceOf(multiPoint ?? {}), ...(at.length > 0 && { at: Object.fromEntries(at) }) },
    pluginConfig: Object.fromEntries(
      pluginConfig.map(({ name = "", args }, at) => [
        name,
        argsOf(name, args, `profiles[${index}].pluginConfig[${at}]`),
      ]),
    ),
  };
}

const choiceOf = ({ enabled = [], disabled = [] }: WireChoice): PluginChoice => ({
  enabled: enabled.map(({ name = "", weight = 0 }) => ({ name, ...(weight > 0 && { weight }) })),
  disabled: disabled.map(({ name = "" }) => name),
});

/** The arguments without what says which they are. Throws for fields that the plugin's arguments do not have. */
function argsOf(plugin: string, args: JsonValue | undefined, place: string): JsonObject {
  if (args === undefined || args === null) return {};
  if (!isJsonObject(args)) throw new Error(`${place}.args: must be an object`);
  const { kind, apiVersion: _, ...fields } = args;
  if (kind !== undefined && kind !== `${plugin}Args`) {
    throw new Error(`${place}.args: kind is ${JSON.stringify(kind)}, must be ${goQuote(`${plugin}Args`)}`);
  }
  const known = ARGS[plugin] ?? [];
  const unknown = Object.keys(fields).find((field) => !known.includes(field));
  if (unknown === undefined) return fields;
  throw new Error(
    `decoding .profiles: decoding args for plugin ${goQuote(plugin)}: strict decoding error: unknown field ${goQuote(unknown)}`,
  );
}

import {
  createByClient,
  loadTypedKinds,
  recordTypedConfiguration,
  type TypedKinds,
} from "../../actions/typed/typed-object.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeListedTypes } from "../../cli/completion/listed-types.js";
import type { Factory } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { readRecord, recordFlag } from "../../cli/flags/change-flags.js";
import {
  type DryRunStrategy,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  readDryRun,
  readFilenames,
  saveConfigFlag,
  withDryRun,
} from "../../cli/flags/resource-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { withChangeCause } from "../../polymorphic-helpers/change-cause.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { type ApiResource, formatResource, type RestMapping } from "../../machinery/rest-mapper.js";
import { type PrintRequest, printerFor } from "../../printers/formats.js";
import type { Result } from "../../resource/builder.js";
import { Helper } from "../../resource/helper.js";
import { formatG } from "../../machinery/text/go/format-g.js";
import { parseFloat64 } from "../../component/flags/flag-value.js";
import { parseInt32 } from "../../polymorphic-helpers/int-or-string.js";
import { canonicalizeQuantity } from "../../machinery/text/quantity/quantity.js";

export interface AutoscaleOptions {
  /** "": that of the resource. */
  readonly name: string;
  /** Not above 0: the server decides. */
  readonly min: number;
  readonly max: number;
  /** Not above 0: none is stated. */
  readonly cpuPercent: number;
  readonly cpu: MetricTarget | undefined;
  readonly memory: MetricTarget | undefined;
  readonly namespace: string;
  readonly enforceNamespace: boolean;
  readonly dryRun: DryRunStrategy;
  readonly fieldManager: string;
  readonly saveConfig: boolean;
  /** Why it is made, for its annotation. */
  readonly cause: string | undefined;
  readonly find: () => Promise<Result>;
  /** What the server serves of a group and version, subresources included. */
  readonly resourcesOf: (groupVersion: string) => Promise<readonly ApiResource[]>;
  readonly client: () => Promise<RestClient>;
  readonly kinds: TypedKinds;
  /** Prints what was done to an object; throws for an output format that there is not. */
  readonly print: (object: KubeObject, operation: string) => void;
}

const TYPES = ["deployment", "replicaset", "replicationcontroller", "statefulset"];

export function autoscaleCommand(run = runAutoscale): Command {
  return {
    use: "autoscale (-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu=CPU] [--memory=MEMORY]",
    description: `Make an autoscaler: it chooses how many pods a deployment, replica set, stateful set or replication controller has.`,
    examples: `# Between 2 and 10 pods, by the server's own idea of when
{{program}} autoscale deployment foo --min=2 --max=10

# Up to 5 pods, such that they use 80% of the CPU they ask for
{{program}} autoscale rc foo --max=5 --cpu=80%

# Such that a pod uses half a CPU and 200Mi of memory
{{program}} autoscale deployment bar --min=3 --max=6 --cpu=500m --memory=200Mi`,
    flags: [
      recordFlag,
      ...printFlags,
      { name: "min", type: "int32", default: "-1", usage: "The fewest pods; negative leaves it to the server" },
      { name: "max", type: "int32", default: "-1", required: true, usage: "The most pods" },
      {
        name: "cpu-percent",
        type: "int32",
        default: "-1",
        usage: "The part of the CPU they ask for that pods shall use on average",
        deprecated:
          "Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).",
      },
      {
        name: "cpu",
        type: "string",
        usage:
          "The CPU a pod shall use on average: of what it asks for (70%), or as a quantity (500m; 500 is the same)",
      },
      {
        name: "memory",
        type: "string",
        usage:
          "The memory a pod shall use on average: of what it asks for (60%), or as a quantity (200Mi; 200 is the same)",
      },
      { name: "name", type: "string", usage: "Name of the autoscaler. That of the resource unless it is given" },
      dryRunFlag,
      ...filenameFlags("File, directory or URL that names what to scale"),
      saveConfigFlag,
      fieldManagerFlag("kubectl-autoscale"),
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeListedTypes(TYPES),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<AutoscaleOptions> {
  const { flags, args } = invocation;
  const dryRun = readDryRun(flags, factory);
  const kinds = await loadTypedKinds({ retired: true });
  const request: PrintRequest = { ...readPrintRequest(flags, factory), encode: kinds.encode };
  const { namespace, enforced } = await factory.namespace();
  await factory.clientConfig();
  const [min, max, cpuPercent] = [flags.number("min"), flags.number("max"), flags.number("cpu-percent")];
  const [cpu, memory] = [flags.string("cpu"), flags.string("memory")];
  if (max < 1) throw new Error(`--max=MAXPODS is required and must be at least 1, max: ${max}`);
  if (max < min) {
    throw new Error(`--max=MAXPODS must be larger or equal to --min=MINPODS, max: ${max}, min: ${min}`);
  }
  if (cpuPercent > 0 && cpu !== "") throw new Error("--cpu-percent and --cpu are mutually exclusive");
  return {
    name: flags.string("name"),
    min,
    max,
    cpuPercent,
    cpu: cpu === "" ? undefined : parseTarget(cpu, "cpu"),
    memory: memory === "" ? undefined : parseTarget(memory, "memory"),
    namespace,
    enforceNamespace: enforced,
    dryRun,
    fieldManager: flags.string("field-manager"),
    saveConfig: flags.bool("save-config"),
    cause: readRecord(invocation),
    find: async () =>
      (await factory.builder())
        .continueOnError()
        .namespaceParam(namespace)
        .defaultNamespace()
        .filenames(enforced, readFilenames(flags))
        .typeOrNameArgs(false, args)
        .flatten()
        .do(),
    resourcesOf: async (groupVersion) => (await factory.discovery()).resourcesOf(groupVersion),
    client: () => factory.restClient(),
    kinds,
    print: (object, operation) =>
      printerFor(request, withDryRun(operation, dryRun)).print(object, (text) => factory.streams.out.write(text)),
  };
}

export async function runAutoscale(options: AutoscaleOptions): Promise<void> {
  let count = 0;
  const result = await options.find();
  await result.visit(async ({ mapping, name }) => {
    await requireScalable(mapping, options);
    const scaler = withChangeCause(autoscaler(mapping, name, options), options.cause);
    await createScaler(scaler, options).catch(() => retryOld(options, mapping, name));
    count++;
  });
  if (count === 0) throw new Error("no objects passed to autoscale");
}

/** Throws unless the server says that the resource has a scale. */
async function requireScalable(mapping: RestMapping, { resourcesOf }: AutoscaleOptions): Promise<void> {
  const { kind, resource } = mapping;
  const fail = (why: string): Error => new Error(`cannot autoscale a ${kind.kind}: ${why}`);
  const shown = formatResource(resource);
  const served = await resourcesOf(formatGroupVersion(resource)).catch((error: unknown) => {
    throw fail(`unable to fetch discovery information for ${shown}: ${(error as Error).message}`);
  });
  if (served.some(({ name }) => name === `${resource.resource}/scale`)) return;
  throw fail(`could not find scale subresource for ${shown} in discovery information`);
}

async function createScaler(scaler: KubeObject, options: AutoscaleOptions): Promise<void> {
  const { kinds, dryRun, fieldManager, namespace } = options;
  if (dryRun === "client") return options.print(scaler, "created");
  const recorded = recordTypedConfiguration(scaler, options.saveConfig, kinds);
  const server = { dryRun: dryRun === "server", fieldManager };
  const helper = new Helper(await options.client(), kinds.mapping(recorded), server);
  options.print(await createByClient(recorded, namespace, helper, kinds), "autoscaled");
}

/**
 * A server that does not take the autoscaler may take it in the version before, where that can say the same. When it
 * cannot, kubectl has nothing to say of the first refusal.
 */
async function retryOld(options: AutoscaleOptions, mapping: RestMapping, name: string): Promise<void> {
  const { cpu, cpuPercent, memory } = options;
  const incompatible = "failed to create autoscaling/v2 HPA and the configuration is incompatible with autoscaling/v1";
  if (cpu === undefined) throw new Error(`${incompatible}: empty input`);
  if (memory !== undefined || (cpuPercent < 0 && cpu.type !== "Utilization")) {
    throw new Error(`${incompatible}: %!w(<nil>)`);
  }
  await createScaler(withChangeCause(oldAutoscaler(mapping, name, options), options.cause), options);
}

function autoscaler(mapping: RestMapping, target: string, options: AutoscaleOptions): KubeObject {
  const { cpu, memory, cpuPercent } = options;
  const metrics = [
    ...(cpuPercent > 0 ? [metric("cpu", { type: "Utilization", averageUtilization: cpuPercent })] : []),
    ...(cpu === undefined ? [] : [metric("cpu", cpu)]),
    ...(memory === undefined ? [] : [metric("memory", memory)]),
  ];
  return { kind: KIND, apiVersion: "autoscaling/v2", ...common(mapping, target, options, { metrics }) };
}

function oldAutoscaler(mapping: RestMapping, target: string, options: AutoscaleOptions): KubeObject {
  const own = options.cpuPercent >= 0 ? { targetCPUUtilizationPercentage: options.cpuPercent } : {};
  return { kind: KIND, apiVersion: "autoscaling/v1", ...common(mapping, target, options, own) };
}

const KIND = "HorizontalPodAutoscaler";

/** What both versions state alike. */
function common({ kind }: RestMapping, target: string, options: AutoscaleOptions, own: object): KubeObject {
  const { min, max, namespace, enforceNamespace } = options;
  const name = options.name || target;
  return {
    metadata: enforceNamespace ? { name, namespace } : { name },
    spec: {
      scaleTargetRef: { kind: kind.kind, name: target, apiVersion: formatGroupVersion(kind) },
      ...(min > 0 && { minReplicas: min }),
      maxReplicas: max,
      ...own,
    },
  };
}

/** A resource an autoscaler can look at, and the unit of a number that has none. */
const UNITS = { cpu: "m", memory: "Mi" } as const;

export type MetricName = keyof typeof UNITS;

/** The target of a metric, as autoscaling/v2 states it. */
export type MetricTarget =
  | { readonly type: "Utilization"; readonly averageUtilization: number }
  | { readonly type: "AverageValue"; readonly averageValue: string };

/** Parses "70%" (of the request), "500m", or a number in the resource's own unit. Throws in kubectl's words. */
export function parseTarget(text: string, resource: MetricName): MetricTarget {
  const input = text.trim();
  if (input === "") throw new Error("empty input");
  if (input.endsWith("%")) return { type: "Utilization", averageUtilization: parsePercentage(input.slice(0, -1)) };
  const bare = bareNumber(input);
  if (bare !== undefined)
    return { type: "AverageValue", averageValue: canonicalizeQuantity(`${bare}${UNITS[resource]}`) };
  try {
    return { type: "AverageValue", averageValue: canonicalizeQuantity(input) };
  } catch (error) {
    throw new Error(`invalid resource ${resource} value: ${input}`, { cause: error });
  }
}

function parsePercentage(text: string): number {
  const value = parseInt32(text);
  if (value === undefined || value < 0) throw new Error(`invalid percentage value: ${text}`);
  return value;
}

/** As Go prints the float again; undefined for what is not a number alone. */
function bareNumber(input: string): string | undefined {
  let value: number;
  try {
    value = parseFloat64(input);
  } catch {
    return undefined;
  }
  if (Number.isFinite(value)) return formatG(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

export function metric(name: MetricName, target: MetricTarget): object {
  return { type: "Resource", resource: { name, target } };
}

import { PODS } from "../../actions/selected-pods.js";
import type { Clock } from "../../base/time/clock.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeNamesOf } from "../../cli/completion/resource-completers.js";
import { usageError } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { selectorFlag } from "../../cli/flags/resource-flags.js";
import { allNamespacesFlag, fieldSelectorFlag } from "../../cli/flags/selection-flags.js";
import { hintAtNamespace } from "../../cli/advice/hints.js";
import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { parseFieldSelector } from "../../machinery/selectors/field-selector.js";
import { parseLabelSelector } from "../../machinery/selectors/parse-label-selector.js";
import { TabWriter } from "../../printers/tab-writer.js";
import { Helper } from "../../resource/helper.js";
import { protobufFlag, readSortBy, showSwapFlag, sortByFlag, topNoHeadersFlag } from "./flags.js";
import { metricsVersion, readMetrics, measuredPod } from "./metrics.js";
import { type PodMetricsPrintOptions, printPods } from "./print-metrics.js";

export interface TopPodOptions {
  readonly client: () => Promise<RestClient>;
  /** "" is all of them. */
  readonly name: string;
  readonly namespace: string;
  readonly allNamespaces: boolean;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly print: PodMetricsPrintOptions;
  readonly clock: Clock;
  readonly streams: Streams;
  /** Called after "No resources found in NAMESPACE". */
  readonly hintAtNamespace: () => Promise<void>;
}

const USE = "pod [NAME | -l label]";
/** A pod younger than that may have no metrics yet. */
const METRICS_DELAY = 2 * 60_000;

export function topPodCommand(run = runTopPod): Command {
  return {
    use: USE,
    description: `Show how much processor time and memory pods use.

For some minutes after it was created there may be no metrics of a pod.`,
    examples: `# The pods of the current namespace
{{program}} top pod

# The pods of another namespace
{{program}} top pod --namespace=NAMESPACE

# The containers of a pod
{{program}} top pod POD_NAME --containers

# The pods with the label name=myLabel
{{program}} top pod -l name=myLabel`,
    flags: [
      selectorFlag,
      fieldSelectorFlag,
      sortByFlag("pods"),
      { name: "containers", type: "bool", usage: "Show each container of a pod" },
      allNamespacesFlag,
      topNoHeadersFlag,
      protobufFlag,
      { name: "sum", type: "bool", usage: "Add what all of them use together" },
      showSwapFlag,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeNamesOf("pod"),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<TopPodOptions> {
  const { args, flags, signal } = invocation;
  if (args.length > 1) throw usageError(invocation, USE);
  const { namespace } = await factory.namespace();
  await factory.clientConfig();
  const sortBy = readSortBy(flags);
  const [name = ""] = args;
  const labelSelector = flags.string("selector");
  const fieldSelector = flags.string("field-selector");
  if (name !== "" && (labelSelector !== "" || fieldSelector !== "")) {
    throw new Error("only one of NAME or selector can be provided");
  }
  const allNamespaces = flags.bool("all-namespaces");
  return {
    client: factory.restClient,
    name,
    namespace,
    allNamespaces,
    labelSelector,
    fieldSelector,
    print: {
      showSwap: flags.bool("show-swap"),
      noHeaders: flags.bool("no-headers"),
      sortBy,
      containers: flags.bool("containers"),
      withNamespace: allNamespaces,
      sum: flags.bool("sum"),
      look: factory.look,
    },
    clock: factory.clock,
    streams: factory.streams,
    hintAtNamespace: () => hintAtNamespace(factory, signal),
  };
}

export async function runTopPod(options: TopPodOptions): Promise<void> {
  const { name, streams, allNamespaces } = options;
  const labelSelector = parseLabelSelector(options.labelSelector).toString();
  const fieldSelector = parseFieldSelector(options.fieldSelector).toString();
  const client = await options.client();
  const version = await metricsVersion(client);
  const namespace = allNamespaces ? "" : options.namespace;
  const query = { resource: "pods", version, namespace, name, labelSelector };
  const helper = new Helper(client, PODS, { typed: true });
  const all = await readMetrics(client, query);
  const metrics =
    all.length > 0 && options.fieldSelector !== ""
      ? ofPods(all, await helper.list(namespace, { labelSelector, fieldSelector }))
      : all;
  if (metrics.length === 0) {
    // kubectl looks in the namespace in force, also with --all-namespaces.
    const { items } = await helper.list(options.namespace, { labelSelector, fieldSelector });
    explainAbsence((items ?? []) as readonly KubeObject[], options.clock.now());
    streams.err.write(
      allNamespaces ? "No resources found\n" : `No resources found in ${options.namespace} namespace.\n`,
    );
    if (!allNamespaces) await options.hintAtNamespace();
  }
  const writer = new TabWriter((text) => void streams.out.write(text), {
    measure: options.print.look.measure,
    fit: options.print.look.fit,
  });
  printPods(metrics.map(measuredPod), options.print, writer.write);
  writer.flush();
}

/** Returns the metrics of the pods in a list: the metrics API knows no fields of pods. */
function ofPods(metrics: readonly KubeObject[], { items }: KubeObject): readonly KubeObject[] {
  const places = new Set(((items ?? []) as readonly KubeObject[]).map(place));
  return metrics.filter((one) => places.has(place(one)));
}

const place = ({ metadata }: KubeObject): string => `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;

/** Throws when there are pods that should have metrics. */
function explainAbsence(pods: readonly KubeObject[], now: number): void {
  if (pods.length === 0) return;
  for (const pod of pods) {
    const age = now - Date.parse(pod.metadata?.creationTimestamp ?? "");
    if (age > METRICS_DELAY)
      throw new Error(`Metrics not available for pod ${place(pod)}, age: ${goDurationText(age)}`);
  }
  throw new Error("metrics not available yet");
}

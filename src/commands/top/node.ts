import type { Command, Invocation } from "../../cli/command.js";
import { completeNamesOf } from "../../cli/completion/resource-completers.js";
import { usageError } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { selectorFlag } from "../../cli/flags/resource-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { number, object } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { parseQuantity } from "../../machinery/text/quantity/quantity.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import { parseLabelSelector } from "../../machinery/selectors/parse-label-selector.js";
import { TabWriter } from "../../printers/tab-writer.js";
import { Helper } from "../../resource/helper.js";
import { protobufFlag, showSwapFlag, sortByFlag, topNoHeadersFlag, readSortBy } from "./flags.js";
import { metricsVersion, readMetrics, measuredNode, readUsage, type Usage } from "./metrics.js";
import { type MetricsPrintOptions, printNodes } from "./print-metrics.js";

export interface TopNodeOptions {
  readonly client: () => Promise<RestClient>;
  /** "" is all of them. */
  readonly name: string;
  readonly selector: string;
  /** Of what a node has, rather than of what it has for pods. */
  readonly showCapacity: boolean;
  readonly print: MetricsPrintOptions;
  readonly streams: Streams;
}

const USE = "node [NAME | -l label]";

export function topNodeCommand(run = runTopNode): Command {
  return {
    use: USE,
    description: "Show how much processor time and memory nodes use.",
    examples: `# All nodes
{{program}} top node

# One node
{{program}} top node NODE_NAME`,
    flags: [
      selectorFlag,
      sortByFlag("nodes"),
      topNoHeadersFlag,
      protobufFlag,
      { name: "show-capacity", type: "bool", usage: "Percentages of what nodes have, not of what they have for pods" },
      showSwapFlag,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeNamesOf("node"),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<TopNodeOptions> {
  const { args, flags } = invocation;
  if (args.length > 1) throw usageError(invocation, USE);
  await factory.clientConfig();
  const sortBy = readSortBy(flags);
  const [name = ""] = args;
  const selector = flags.string("selector");
  if (name !== "" && selector !== "") throw new Error("only one of NAME or --selector can be provided");
  return {
    client: factory.restClient,
    name,
    selector,
    showCapacity: flags.bool("show-capacity"),
    print: { showSwap: flags.bool("show-swap"), noHeaders: flags.bool("no-headers"), sortBy, look: factory.look },
    streams: factory.streams,
  };
}

const NODES: RestMapping = {
  resource: { group: "", version: "v1", resource: "nodes" },
  kind: { group: "", version: "v1", kind: "Node" },
  namespaced: false,
};

export async function runTopNode(options: TopNodeOptions): Promise<void> {
  const { name, streams } = options;
  const labelSelector = parseLabelSelector(options.selector).toString();
  const client = await options.client();
  const version = await metricsVersion(client);
  const query = { resource: "nodes", version, namespace: "", name, labelSelector };
  const metrics = await readMetrics(client, query);
  if (metrics.length === 0) throw new Error("metrics not available yet");
  const helper = new Helper(client, NODES, { typed: true });
  const nodes =
    name === ""
      ? (((await helper.list("", { labelSelector })).items ?? []) as readonly KubeObject[])
      : [await helper.get("", name)];
  const withoutSwap = new Set<string>();
  const available = new Map<string, Usage>();
  for (const { metadata, status } of nodes) {
    const nodeName = metadata?.name ?? "";
    const { capacity, allocatable, nodeInfo } = object(status);
    const swap = object(object(nodeInfo).swap).capacity;
    if (swap === undefined) withoutSwap.add(nodeName);
    const usage = readUsage(options.showCapacity ? capacity : allocatable);
    available.set(nodeName, swap === undefined ? usage : { ...usage, swap: parseQuantity(String(number(swap))) });
  }
  const writer = new TabWriter((text) => void streams.out.write(text), {
    measure: options.print.look.measure,
    fit: options.print.look.fit,
  });
  printNodes(metrics.map(measuredNode), available, withoutSwap, options.print, writer.write);
  writer.flush();
}

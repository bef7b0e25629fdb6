import type { Command, Invocation } from "../../cli/command.js";
import { completeNamesOf } from "../../cli/completion/resource-completers.js";
import { usageError } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import {
  type DryRunStrategy,
  dryRunFlag,
  readDryRun,
  selectorFlag,
  withDryRun,
} from "../../cli/flags/resource-flags.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { parseLabelSelector } from "../../machinery/selectors/parse-label-selector.js";
import { namePrinter } from "../../printers/object-printers.js";
import type { Info } from "../../resource/info.js";
import { formatResource } from "../../resource/selector-source.js";

/** The options that cordon, uncordon and drain share. */
export interface NodeOptions {
  readonly nodes: readonly Info[];
  readonly dryRun: DryRunStrategy;
  readonly client: () => Promise<RestClient>;
  /** "node/foo cordoned". */
  readonly print: (object: KubeObject, operation: string) => void;
  readonly streams: Streams;
}

export const nodeFlags: Command["flags"] = [selectorFlag, dryRunFlag];

export const completeNodes = completeNamesOf("node");

/** Finds the nodes that were named or selected. Throws where one is missing. */
export async function findNodes(
  factory: Factory,
  invocation: Invocation,
  use: string,
  { podSelector = "", chunkSize = 500 } = {},
): Promise<NodeOptions> {
  const { args, flags } = invocation;
  const selector = flags.string("selector");
  if (args.length === 0 && !flags.changed("selector")) throw usageError(invocation, `USAGE: ${use} [flags]`);
  if (args.length > 0 && selector !== "") {
    throw usageError(invocation, "error: cannot specify both a node name and a --selector option");
  }
  const dryRun = readDryRun(flags, factory);
  requireSelector(podSelector);
  const { namespace } = await factory.namespace();
  const builder = (await factory.builder())
    .namespaceParam(namespace)
    .defaultNamespace()
    .requestChunksOf(chunkSize)
    .resourceNames("nodes", args)
    .singleResourceType()
    .flatten();
  if (selector !== "") builder.labelSelector(selector).resourceTypes(["nodes"]);
  const result = await builder.do();
  const nodes: Info[] = [];
  await result.visit(async (info) => {
    const { group, resource } = info.mapping.resource;
    if (group !== "" || resource !== "nodes") {
      const found = goQuote(formatResource(info.mapping.resource));
      throw new Error(`error: expected resource of type node, got ${found}`);
    }
    nodes.push(info);
  });
  return {
    nodes,
    dryRun,
    client: factory.restClient,
    print: (object, operation) =>
      namePrinter(withDryRun(operation, dryRun)).print(object, (text) => factory.streams.out.write(text)),
    streams: factory.streams,
  };
}

function requireSelector(text: string): void {
  try {
    parseLabelSelector(text);
  } catch (error) {
    throw new Error("--pod-selector=<pod_selector> must be a valid label selector", { cause: error });
  }
}

import { preferredResources } from "../../actions/preferred-resources.js";
import type { Clock } from "../../base/time/clock.js";
import type { Discovery } from "../../client/discovery/discovery.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeTypesAndNames } from "../../cli/completion/resource-completers.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import { headingCells, type Look, rowCells, tableColumns } from "../../printers/look.js";
import { TabWriter } from "../../printers/tab-writer.js";
import type { Info } from "../../resource/info.js";
import { branchesOf, TREE_HEADINGS, treeCells } from "../../cli/object-tree/branches.js";
import { namedObject, requireOneObject } from "../../cli/object-tree/named-object.js";
import { readRelatives } from "../../cli/object-tree/relatives.js";
import { summaries } from "../../cli/object-tree/summary.js";

export interface TreeOptions {
  /** The object the tree is about, as the server's table has it. */
  readonly find: () => Promise<Info>;
  readonly client: () => Promise<RestClient>;
  readonly mapper: () => Promise<RestMapper>;
  readonly discovery: () => Promise<Discovery>;
  readonly noHeaders: boolean;
  readonly clock: Clock;
  readonly look: Look;
  readonly streams: Streams;
}

/** The command `tree`, which is kubets' own. */
export function treeCommand(run = runTree): Command {
  return {
    use: "tree TYPE/NAME",
    description: `Show what an object owns, what that owns, and by whom it is owned itself, with how ready each is.

All types of the server that can be listed are looked at, in the namespace of the object, or everywhere when it has none.`,
    examples: `# A deployment, its replica sets and their pods
{{program}} tree deployment/web

# What a pod belongs to
{{program}} tree pod web-5d8f7-x2x4z

# A custom resource and all that its operator has made for it
{{program}} tree clusters.postgresql.example.com/db`,
    flags: [{ name: "no-headers", type: "bool", usage: "Leave the line of headings out" }],
    execute: async (factory, invocation) => run(complete(factory, invocation)),
    completeArgs: completeTypesAndNames,
  };
}

function complete(factory: Factory, invocation: Invocation): TreeOptions {
  const { args, flags } = invocation;
  requireOneObject(invocation);
  return {
    find: () => namedObject(factory, args),
    client: factory.restClient,
    mapper: factory.mapper,
    discovery: factory.discovery,
    noHeaders: flags.bool("no-headers"),
    clock: factory.clock,
    look: factory.look,
    streams: factory.streams,
  };
}

/** Prints the tree, then warns about types that could not be read. */
export async function runTree(options: TreeOptions): Promise<void> {
  const { streams } = options;
  const { object = {}, mapping } = await options.find();
  const [start] = summaries(object, mapping);
  if (start === undefined) throw new Error("the server answered without the object");
  const discovery = await options.discovery();
  const { resources, failed } = await discovery.resources();
  const { objects, unread } = await readRelatives(start, mapping, {
    client: await options.client(),
    mapper: await options.mapper(),
    resources: preferredResources(await discovery.groups(), resources),
  });
  const writer = new TabWriter((text) => void streams.out.write(text), {
    measure: options.look.measure,
    fit: options.look.fit,
  });
  writer.write.table?.(tableColumns(TREE_HEADINGS, !options.noHeaders));
  if (!options.noHeaders) writer.write(`${headingCells(options.look, TREE_HEADINGS).join("\t")}\n`);
  for (const branch of branchesOf(start, objects)) {
    writer.write(`${rowCells(options.look, TREE_HEADINGS, treeCells(branch, options.clock.now())).join("\t")}\n`);
  }
  writer.flush();
  const reasons = [
    ...[...failed.keys()].map((groupVersion) => `${groupVersion} (its types are not known)`),
    ...unread.map(({ type, reason }) => `${type} (${reason})`),
  ];
  if (reasons.length > 0) streams.err.write(`Warning: not looked at: ${reasons.join(", ")}\n`);
}

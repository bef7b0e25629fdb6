import { preferredResources } from "../../actions/preferred-resources.js";
import type { Clock } from "../../base/clock.js";
import type { Discovery } from "../../client/discovery/discovery.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeTypesAndNames } from "../../cli/completion/resource-completers.js";
import { usageError } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/factory.js";
import { humanDuration } from "../../machinery/duration/human-duration.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import { headingCells, type Look, rowCells, tableColumns } from "../../printers/look.js";
import { TabWriter } from "../../printers/tab-writer.js";
import { escapeForTerminal } from "../../printers/terminal-escape.js";
import type { Info } from "../../resource/info.js";
import { type Branch, branchesOf } from "./branches.js";
import { readRelatives } from "./relatives.js";
import { SUMMARY_ACCEPT, summaries } from "./summary.js";

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

/** kubets' own. */
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
  const named = args.length === 1 ? args[0]?.includes("/") === true : args.length === 2 && !args.join("").includes("/");
  if (!named) throw usageError(invocation, "expected one object, as TYPE/NAME or TYPE NAME");
  return {
    find: async () => {
      const { namespace } = await factory.namespace();
      const builder = await factory.builder();
      const result = await builder
        .namespaceParam(namespace)
        .defaultNamespace()
        .typeOrNameArgs(false, args)
        .singleResourceType()
        .transformRequests({ accept: SUMMARY_ACCEPT })
        .do();
      const [info] = await result.infos();
      if (info === undefined) throw new Error("expected one object");
      return info;
    },
    client: factory.restClient,
    mapper: factory.mapper,
    discovery: factory.discovery,
    noHeaders: flags.bool("no-headers"),
    clock: factory.clock,
    look: factory.look,
    streams: factory.streams,
  };
}

/** Prints the tree, then warns of what could not be looked at. */
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
  const headings = ["NAME", "READY", "STATUS", "AGE"];
  writer.write.table?.(tableColumns(headings, !options.noHeaders));
  if (!options.noHeaders) writer.write(`${headingCells(options.look, headings).join("\t")}\n`);
  for (const branch of branchesOf(start, objects)) {
    writer.write(`${rowCells(options.look, headings, cellsOf(branch, options.clock.now())).join("\t")}\n`);
  }
  writer.flush();
  const reasons = [
    ...[...failed.keys()].map((groupVersion) => `${groupVersion} (its types are not known)`),
    ...unread.map(({ type, reason }) => `${type} (${reason})`),
  ];
  if (reasons.length > 0) streams.err.write(`Warning: not looked at: ${reasons.join(", ")}\n`);
}

function cellsOf({ lead, object, again }: Branch, now: number): readonly string[] {
  const { title, metadata, ready, status } = object;
  if (again) return [`${lead}${title}`, "", "(above)"].map(escapeForTerminal);
  const { creationTimestamp: created } = metadata;
  const age = object.age || (typeof created === "string" ? humanDuration(now - Date.parse(created)) : "");
  return [`${lead}${title}`, ready || "-", status || "-", age || "-"].map(escapeForTerminal);
}

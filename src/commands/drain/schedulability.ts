import { cordon, uncordon } from "../../actions/drain/cordon.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { type NodeOptions, completeNodes, findNodes, nodeFlags } from "./find-nodes.js";
import type { Command } from "../../cli/command.js";

/** Makes nodes unschedulable, or schedulable again. A node that cannot be changed is reported on stderr and skipped. */
export async function cordonNodes(options: NodeOptions, wanted: boolean): Promise<void> {
  const rest = await options.client();
  for (const { name, object: node = {} } of options.nodes) {
    try {
      await cordonOne(node, rest, options, wanted);
    } catch (error) {
      const message = errorMessage(error);
      const doing = wanted ? "cordon" : "uncordon";
      options.streams.err.write(`error: unable to ${doing} node ${goQuote(name)}: ${message}\n`);
    }
  }
}

async function cordonOne(
  node: KubeObject,
  rest: RestClient,
  { dryRun, print }: NodeOptions,
  wanted: boolean,
): Promise<void> {
  const { changed } = await (wanted ? cordon : uncordon)({ client: { rest }, node, dryRun });
  const done = wanted ? "cordoned" : "uncordoned";
  print(node, changed ? done : `already ${done}`);
}

const CORDON_USE = "cordon NODE";

export function cordonCommand(run = runCordon): Command {
  return {
    use: CORDON_USE,
    description: "Make a node unschedulable: no new pods are put there, and those that run go on.",
    examples: `# Keep new pods off the node "foo"
{{program}} cordon foo`,
    flags: nodeFlags,
    execute: async (factory, invocation) => run(await findNodes(factory, invocation, CORDON_USE)),
    completeArgs: completeNodes,
  };
}

export async function runCordon(options: NodeOptions): Promise<void> {
  await cordonNodes(options, true);
}

const UNCORDON_USE = "uncordon NODE";

export function uncordonCommand(run = runUncordon): Command {
  return {
    use: UNCORDON_USE,
    description: "Make a node schedulable again.",
    examples: `# Let pods onto the node "foo"
{{program}} uncordon foo`,
    flags: nodeFlags,
    execute: async (factory, invocation) => run(await findNodes(factory, invocation, UNCORDON_USE)),
    completeArgs: completeNodes,
  };
}

export async function runUncordon(options: NodeOptions): Promise<void> {
  await cordonNodes(options, false);
}

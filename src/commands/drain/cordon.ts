import type { Command } from "../../cli/command.js";
import { cordonNodes } from "./cordon-nodes.js";
import { completeNodes, findNodes, nodeFlags, type NodeOptions } from "./find-nodes.js";

const USE = "cordon NODE";

export function cordonCommand(run = runCordon): Command {
  return {
    use: USE,
    description: "Make a node unschedulable: no new pods are put there, and those that run go on.",
    examples: `# Keep new pods off the node "foo"
{{program}} cordon foo`,
    flags: nodeFlags,
    execute: async (factory, invocation) => run(await findNodes(factory, invocation, USE)),
    completeArgs: completeNodes,
  };
}

export async function runCordon(options: NodeOptions): Promise<void> {
  await cordonNodes(options, true);
}

import type { Command } from "../../cli/command.js";
import { cordonNodes } from "./cordon-nodes.js";
import { completeNodes, findNodes, nodeFlags, type NodeOptions } from "./find-nodes.js";

const USE = "uncordon NODE";

export function uncordonCommand(run = runUncordon): Command {
  return {
    use: USE,
    description: "Make a node schedulable again.",
    examples: `# Let pods onto the node "foo"
{{program}} uncordon foo`,
    flags: nodeFlags,
    execute: async (factory, invocation) => run(await findNodes(factory, invocation, USE)),
    completeArgs: completeNodes,
  };
}

export async function runUncordon(options: NodeOptions): Promise<void> {
  await cordonNodes(options, false);
}

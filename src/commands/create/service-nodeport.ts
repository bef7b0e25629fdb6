import type { Command } from "../../cli/command.js";
import { generatedFlags } from "./generated.js";
import { completeService, runCreateService, tcpFlag } from "./service.js";

export function createNodePortCommand(run = runCreateService): Command {
  return {
    use: "nodeport NAME [--tcp=port:targetPort] [--dry-run=server|client|none]",
    description: "Create a service with a port on every node.",
    examples: `# Create the service my-ns
{{program}} create service nodeport my-ns --tcp=5678:8080`,
    flags: [
      ...generatedFlags,
      tcpFlag,
      { name: "node-port", type: "int", usage: "The port on the nodes; 0 leaves it to the server" },
    ],
    execute: async (factory, invocation) =>
      run(
        await completeService(factory, invocation, {
          type: "NodePort",
          nodePort: invocation.flags.number("node-port"),
        }),
      ),
  };
}

import type { Command } from "../../cli/command.js";
import { generatedFlags } from "./generated.js";
import { completeService, runCreateService, tcpFlag } from "./service.js";

export function createClusterIPCommand(run = runCreateService): Command {
  return {
    use: "clusterip NAME [--tcp=<port>:<targetPort>] [--dry-run=server|client|none]",
    description: "Create a service with an address inside the cluster.",
    examples: `# Create the service my-cs
{{program}} create service clusterip my-cs --tcp=5678:8080

# Create it without an address of its own
{{program}} create service clusterip my-cs --clusterip="None"`,
    flags: [
      ...generatedFlags,
      tcpFlag,
      { name: "clusterip", type: "string", usage: "Address of the service; None for a headless one" },
    ],
    execute: async (factory, invocation) =>
      run(
        await completeService(factory, invocation, {
          type: "ClusterIP",
          clusterIp: invocation.flags.string("clusterip"),
        }),
      ),
  };
}

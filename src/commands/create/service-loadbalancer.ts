import type { Command } from "../../cli/command.js";
import { generatedFlags } from "./generated.js";
import { completeService, runCreateService, tcpFlag } from "./service.js";

export function createLoadBalancerCommand(run = runCreateService): Command {
  return {
    use: "loadbalancer NAME [--tcp=port:targetPort] [--dry-run=server|client|none]",
    description: "Create a service with a load balancer before it.",
    examples: `# Create the service my-lbs
{{program}} create service loadbalancer my-lbs --tcp=5678:8080`,
    flags: [...generatedFlags, tcpFlag],
    execute: async (factory, invocation) => run(await completeService(factory, invocation, { type: "LoadBalancer" })),
  };
}

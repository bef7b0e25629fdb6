import type { Command } from "../../cli/command.js";
import { generatedFlags } from "./generated.js";
import { completeService, runCreateService, tcpFlag } from "./service.js";

export function createExternalNameCommand(run = runCreateService): Command {
  return {
    use: "externalname NAME --external-name external.name [--dry-run=server|client|none]",
    description: "Create a service that is another name of a DNS address outside of the cluster.",
    examples: `# Create the service my-ns, which is bar.com
{{program}} create service externalname my-ns --external-name bar.com`,
    flags: [
      ...generatedFlags,
      tcpFlag,
      { name: "external-name", type: "string", required: true, usage: "The DNS name it stands for" },
    ],
    execute: async (factory, invocation) =>
      run(
        await completeService(factory, invocation, {
          type: "ExternalName",
          externalName: invocation.flags.string("external-name"),
        }),
      ),
  };
}

import type { Command } from "../../cli/command.js";
import { completeGenerated, createGenerated, generatedFlags, type GeneratedOptions, requireName } from "./generated.js";

export function createNamespaceCommand(run = runCreateNamespace): Command {
  return {
    use: "namespace NAME [--dry-run=server|client|none]",
    description: "Create a namespace.",
    examples: `# Create the namespace my-namespace
{{program}} create namespace my-namespace`,
    flags: generatedFlags,
    execute: async (factory, invocation) => {
      const options = await completeGenerated(factory, invocation);
      requireName(options);
      await run(options);
    },
  };
}

export async function runCreateNamespace(options: GeneratedOptions): Promise<void> {
  await createGenerated({ kind: "Namespace", apiVersion: "v1", metadata: { name: options.name } }, options);
}

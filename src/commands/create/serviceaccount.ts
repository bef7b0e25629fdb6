import type { Command } from "../../cli/command.js";
import {
  completeGenerated,
  createGenerated,
  generatedFlags,
  type GeneratedOptions,
  namespacedMetadata,
  requireName,
} from "./generated.js";

export function createServiceAccountCommand(run = runCreateServiceAccount): Command {
  return {
    use: "serviceaccount NAME [--dry-run=server|client|none]",
    description: "Create a service account.",
    examples: `# Create the service account my-service-account
{{program}} create serviceaccount my-service-account`,
    flags: generatedFlags,
    execute: async (factory, invocation) => {
      const options = await completeGenerated(factory, invocation);
      requireName(options);
      await run(options);
    },
  };
}

export async function runCreateServiceAccount(options: GeneratedOptions): Promise<void> {
  const object = { kind: "ServiceAccount", apiVersion: "v1", metadata: namespacedMetadata(options) };
  await createGenerated(object, options, "failed to create serviceaccount:");
}

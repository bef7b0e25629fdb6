import type { Command } from "../../cli/command.js";
import { completeGenerated, createGenerated, generatedFlags, type GeneratedOptions } from "./generated.js";

export interface CreatePriorityClassOptions extends GeneratedOptions {
  readonly value: number;
  readonly globalDefault: boolean;
  readonly description: string;
  readonly preemptionPolicy: string;
}

export function createPriorityClassCommand(run = runCreatePriorityClass): Command {
  return {
    use: "priorityclass NAME --value=VALUE --global-default=BOOL [--dry-run=server|client|none]",
    description: "Create a priority class: how important pods are to the scheduler.",
    examples: `# Create the class high-priority
{{program}} create priorityclass high-priority --value=1000 --description="high priority"

# For every pod that names no class
{{program}} create priorityclass default-priority --value=1000 --global-default=true --description="default priority"

# That pushes no other pod aside
{{program}} create priorityclass high-priority --value=1000 --description="high priority" --preemption-policy="Never"`,
    flags: [
      ...generatedFlags,
      { name: "value", type: "int32", usage: "The priority; the greater goes first" },
      { name: "global-default", type: "bool", usage: "It is the class of pods that name none" },
      { name: "description", type: "string", usage: "When to use it, for people" },
      {
        name: "preemption-policy",
        type: "string",
        default: "PreemptLowerPriority",
        usage: "Whether pods of the class push others aside: PreemptLowerPriority or Never",
      },
    ],
    execute: async (factory, invocation) => {
      const { flags } = invocation;
      await run({
        ...(await completeGenerated(factory, invocation)),
        value: flags.number("value"),
        globalDefault: flags.bool("global-default"),
        description: flags.string("description"),
        preemptionPolicy: flags.string("preemption-policy"),
      });
    },
  };
}

export async function runCreatePriorityClass(options: CreatePriorityClassOptions): Promise<void> {
  const { name, value, globalDefault, description, preemptionPolicy } = options;
  const own = { value, globalDefault, description, preemptionPolicy };
  const object = { kind: "PriorityClass", apiVersion: "scheduling.k8s.io/v1", metadata: { name }, ...own };
  await createGenerated(object, options, "failed to create priorityclass:");
}

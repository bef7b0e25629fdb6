import type { Command } from "../../cli/command.js";
import { accessOf } from "../../cli/connect/kubeconfig-access.js";

export function currentContextCommand(): Command {
  return {
    use: "current-context [flags]",
    description: "Print the name of the current context.",
    examples: `# Print the name of the current context
{{program}} config current-context`,
    flags: [],
    execute: async (factory, invocation) => {
      const { currentContext } = await accessOf(factory, invocation).start();
      if (currentContext === "") throw new Error("current-context is not set");
      factory.streams.out.write(`${currentContext}\n`);
    },
  };
}

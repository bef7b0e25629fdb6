import type { Command } from "../../cli/command.js";
import { flagUsages } from "../../cli/help/flag-usages.js";

/** Prints the global flags. It takes no flags of its own, and any operands. */
export function optionsCommand(): Command {
  return {
    use: "options",
    description: "Print the flags that every command takes.",
    examples: `# Print the flags that every command takes
{{program}} options`,
    flags: [],
    selfExplaining: true,
    execute: async (factory, { globalFlags }) => {
      const { out } = factory.streams;
      const width = out.isTTY === true ? out.columns : undefined;
      out.write(`The following options can be passed to any command:\n\n${flagUsages(globalFlags, width)}`);
    },
  };
}

import type { Command } from "../../cli/command.js";
import { flagUsages, helpStyle } from "../../cli/help/index.js";

/** The command `options`: it prints the global flags. It declares no flags, and accepts any operands. */
export function optionsCommand(): Command {
  return {
    use: "options",
    description: "Print the flags that every command takes.",
    examples: `# Print the flags that every command takes
{{program}} options`,
    flags: [],
    selfExplaining: true,
    execute: async ({ streams: { out }, colours }, { globalFlags }) => {
      const usages = flagUsages(globalFlags, await helpStyle(out, colours));
      out.write(`The following options can be passed to any command:\n\n${usages}`);
    },
  };
}

import type { CommandEntry } from "../../cli/command.js";

export const pluginEntry: CommandEntry = {
  name: "plugin",
  summary: "See which plugins there are",
  group: {
    use: "plugin [flags]",
    description: `See which plugins there are.

A plugin is a program on PATH whose name begins with "kubectl-": what follows is the command that runs it. The program "kubectl-my_tool" is run
by "{{program}} my-tool". Krew finds and installs plugins that others have made: https://krew.sigs.k8s.io.`,
    examples: `# All plugins
{{program}} plugin list

# Their names, without the folders
{{program}} plugin list --name-only`,
  },
  children: [
    {
      name: "list",
      summary: "List the plugins on PATH",
      load: async () => (await import("./list.js")).pluginListCommand(),
    },
  ],
};

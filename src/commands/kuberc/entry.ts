import type { CommandEntry } from "../../cli/command.js";

export const kubercEntry: CommandEntry = {
  name: "kuberc",
  summary: "Look at preferences and change them",
  group: {
    use: "kuberc SUBCOMMAND",
    description: `Look at your preferences and change them.

 They are kept in ~/.kube/kuberc: default values of flags, commands of your own made of those there are, and which credential plugins may run.`,
    examples: `# Show the preferences
{{program}} kuberc view

# Let get print more columns unless it is told otherwise
{{program}} kuberc set --section defaults --command get --option output=wide

# Make a command that lists nodes
{{program}} kuberc set --section aliases --name getn --command get --prependarg nodes --option output=wide`,
  },
  children: [
    {
      name: "view",
      summary: "Show the preferences",
      load: async () => (await import("./view.js")).viewCommand(),
    },
    {
      name: "set",
      summary: "Set defaults, an alias or the policy for credential plugins",
      load: async () => (await import("./set.js")).setCommand(),
    },
  ],
};

import type { CommandEntry } from "../../cli/command.js";

export const topEntry: CommandEntry = {
  name: "top",
  summary: "Show how much processor time and memory is used",
  suggestFor: ["stats"],
  group: {
    use: "top [flags]",
    description: `Show how much processor time and memory nodes and pods used lately.

The numbers are those of the metrics API, which scales pods too. A cluster has it when a Metrics Server runs in it.`,
  },
  children: [
    {
      name: "node",
      aliases: ["nodes", "no"],
      summary: "Show what nodes use",
      load: async () => (await import("./node.js")).topNodeCommand(),
    },
    {
      name: "pod",
      aliases: ["pods", "po"],
      summary: "Show what pods use",
      load: async () => (await import("./pod.js")).topPodCommand(),
    },
  ],
};

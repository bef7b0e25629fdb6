import type { CommandEntry } from "../../cli/command.js";

export const clusterInfoEntry: CommandEntry = {
  name: "cluster-info",
  summary: "Show where the control plane and its services answer",
  load: async () => (await import("./cluster-info.js")).clusterInfoCommand(),
  children: [
    {
      name: "dump",
      summary: "Print what helps to find out what is wrong with a cluster",
      load: async () => (await import("./dump.js")).clusterInfoDumpCommand(),
    },
  ],
};

import type { CommandEntry } from "../../cli/command.js";

/** The entry of `cluster` and its subcommands, which kubectl does not have. */
export const clusterEntry: CommandEntry = {
  name: "cluster",
  section: "Cluster Management Commands:",
  summary: "Run an embedded cluster on this machine",
  group: {
    use: "cluster SUBCOMMAND",
    description:
      "Run a Kubernetes API on this machine, inside this program: no container engine, nothing to download.\n\n" +
      "`run` makes a cluster for one command and removes it afterwards. `start` keeps one under a name, with a kubeconfig context kubets-NAME.",
    bare: { stream: "out", code: 0 },
  },
  children: [
    {
      name: "run",
      summary: "Run a command against a fresh cluster of its own",
      load: async () => (await import("./run.js")).clusterRunCommand(),
    },
    {
      name: "start",
      summary: "Start a named cluster and make its context current",
      load: async () => (await import("./start.js")).clusterStartCommand(),
    },
    {
      name: "stop",
      summary: "Stop a named cluster; what is on disk stays",
      load: async () => (await import("./named-clusters.js")).clusterStopCommand(),
    },
    {
      name: "status",
      summary: "Show whether a named cluster runs, and where",
      load: async () => (await import("./named-clusters.js")).clusterStatusCommand(),
    },
    {
      name: "list",
      summary: "List the named clusters",
      load: async () => (await import("./named-clusters.js")).clusterListCommand(),
    },
    {
      name: "user",
      summary: "Make a user: a certificate and a context",
      load: async () => (await import("./user.js")).clusterUserCommand(),
    },
    {
      name: "check",
      summary: "Check and compact what a stopped cluster keeps on disk",
      load: async () => (await import("./named-clusters.js")).clusterCheckCommand(),
    },
    {
      name: "delete",
      summary: "Stop a named cluster and remove its data and its context",
      load: async () => (await import("./named-clusters.js")).clusterDeleteCommand(),
    },
  ],
};

import type { CommandEntry } from "../../cli/command.js";

/** `envtest`, kubets' own: kubectl has none of it. What it makes starts the hidden commands below it. */
export const envtestEntry: CommandEntry = {
  name: "envtest",
  section: "Cluster Management Commands:",
  summary: "Take the place of the binaries of Go's envtest",
  load: async () => (await import("./envtest.js")).envtestCommand(),
  children: [
    {
      name: "kube-apiserver",
      hidden: true,
      summary: "Serve the API in the place of kube-apiserver",
      load: async () => (await import("./kube-apiserver.js")).kubeApiserverCommand(),
    },
    {
      name: "etcd",
      hidden: true,
      summary: "Answer health checks in the place of etcd",
      load: async () => (await import("./etcd.js")).etcdCommand(),
    },
  ],
};

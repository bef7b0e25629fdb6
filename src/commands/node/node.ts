import type { Command } from "../../cli/command.js";
import { componentCommand } from "../../cli/component-command.js";
import { DEFAULT_VERSION, gitVersionOf } from "../../machinery/served-versions.js";

export const nodeCommand = (): Command =>
  componentCommand(
    "node [flags]",
    {
      description: "Run simulated nodes that register with any API server and take pods through their phases.",
      examples:
        "  {{program}} node --kubeconfig=admin.conf --nodes=3\n\n" +
        "  # Nodes of two kinds\n" +
        "  {{program}} node --kubeconfig=admin.conf --node-names=gpu-1 --register-with-taints=gpu=true:NoSchedule",
    },
    async () => {
      const { loadNodes } = await import("../../cluster/programs/index.js");
      return loadNodes({ program: "kubets node", version: `Kubernetes ${gitVersionOf(DEFAULT_VERSION)}` });
    },
  );

import type { Command } from "../../cli/command.js";
import { componentCommand } from "../../cli/component-command.js";
import { DEFAULT_VERSION, gitVersionOf } from "../../machinery/served-versions.js";

export const schedulerCommand = (): Command =>
  componentCommand(
    "scheduler [flags]",
    {
      description: "Bind pods of any API server to nodes, in the place of kube-scheduler and with its flags.",
      examples:
        "  {{program}} scheduler --kubeconfig=admin.conf\n\n" +
        "  # With profiles and plugins of a KubeSchedulerConfiguration\n" +
        "  {{program}} scheduler --config=scheduler.yaml",
    },
    async () => {
      const { loadScheduler } = await import("../../cluster/programs/index.js");
      return loadScheduler({ program: "kubets scheduler", version: `Kubernetes ${gitVersionOf(DEFAULT_VERSION)}` });
    },
  );

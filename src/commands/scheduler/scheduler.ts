import type { Command } from "../../cli/command.js";
import { componentCommand } from "../../cli/component-command.js";
import { kubernetesRelease } from "../../cli/connect/client-version.js";

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
      return loadScheduler({ program: "kubets scheduler", version: `Kubernetes ${kubernetesRelease.gitVersion}` });
    },
  );

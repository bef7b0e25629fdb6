import type { Command } from "../../cli/command.js";
import { componentCommand } from "../../cli/component-command.js";
import { kubernetesRelease } from "../../cli/connect/client-version.js";

export const controllerManagerCommand = (): Command =>
  componentCommand(
    "controller-manager [flags]",
    {
      description:
        "Run the controllers of Kubernetes against any API server, in the place of kube-controller-manager and with its flags.",
      examples: "  {{program}} controller-manager --kubeconfig=admin.conf",
    },
    async () => {
      const { loadControllerManager } = await import("../../cluster/programs/index.js");
      const version = `Kubernetes ${kubernetesRelease.gitVersion}`;
      return loadControllerManager({ program: "kubets controller-manager", version });
    },
  );

import type { Command } from "../../cli/command.js";
import { componentCommand } from "../../cli/component-command.js";
import { DEFAULT_VERSION, gitVersionOf } from "../../machinery/served-versions.js";

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
      const version = `Kubernetes ${gitVersionOf(DEFAULT_VERSION)}`;
      return loadControllerManager({ program: "kubets controller-manager", version });
    },
  );

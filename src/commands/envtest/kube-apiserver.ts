import { componentCommand } from "../../cli/component-command.js";
import type { Command } from "../../cli/command.js";

/** What the folder of {@link envtestCommand} starts as kube-apiserver. Flags are read, and errors said, as kube-apiserver does. */
export function kubeApiserverCommand(): Command {
  return componentCommand(
    "kube-apiserver [flags]",
    {
      description: "Serve the API in the place of kube-apiserver, with its flags.",
      examples: "  {{program}} envtest kube-apiserver --help",
    },
    async () => (await import("../../cluster/apiserver/component.js")).standInComponent(),
  );
}

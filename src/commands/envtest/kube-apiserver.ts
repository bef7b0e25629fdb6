import { componentCommand } from "../../cli/component-command.js";
import type { Command } from "../../cli/command.js";

/**
 * The hidden command that the folder of {@link envtestCommand} starts as kube-apiserver. It parses flags and reports errors as
 * kube-apiserver does.
 */
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

import { goQuote } from "../../base/text/go-quote.js";
import { completeContexts, firstOperand } from "../../cli/completion/global-completers.js";
import type { Command } from "../../cli/command.js";
import { accessOf, unexpectedArgs } from "../../cli/connect/kubeconfig-access.js";
import { switchContext } from "../../cli/connect/kubeconfig-contexts.js";

export function useContextCommand(): Command {
  return {
    use: "use-context CONTEXT_NAME",
    aliases: ["use"],
    description: "Make a context of the kubeconfig the current one.",
    examples: `# Use the context of the cluster minikube
{{program}} config use-context minikube`,
    flags: [],
    execute: async (factory, invocation) => {
      const [name = ""] = invocation.args;
      if (invocation.args.length !== 1) throw await unexpectedArgs(invocation);
      await switchContext(accessOf(factory, invocation), name);
      factory.streams.out.write(`Switched to context ${goQuote(name)}.\n`);
    },
    completeArgs: firstOperand(completeContexts),
  };
}

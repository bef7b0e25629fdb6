import { goQuote } from "../../base/go-quote.js";
import { withMistyped } from "../../base/mistyped.js";
import { completeContexts, firstOperand } from "../../cli/completion/global-completers.js";
import type { Command } from "../../cli/command.js";
import { accessOf, unexpectedArgs } from "./access.js";

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
      const access = accessOf(factory, invocation);
      const config = await access.start();
      if (name === "") throw new Error("empty context names are not allowed");
      if (!config.contexts.has(name)) {
        const error = new Error(`no context exists with the name: ${goQuote(name)}`);
        throw withMistyped(error, () => ({ typed: name, known: config.contexts.keys() }));
      }
      config.currentContext = name;
      await access.modify(config, true);
      factory.streams.out.write(`Switched to context ${goQuote(name)}.\n`);
    },
    completeArgs: firstOperand(completeContexts),
  };
}

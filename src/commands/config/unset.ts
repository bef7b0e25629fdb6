import { goQuote } from "../../base/text/go-quote.js";
import type { Command } from "../../cli/command.js";
import { accessOf, unexpectedArgs } from "../../cli/connect/kubeconfig-access.js";
import { modifyProperty } from "./modify-property.js";
import { parsePropertyPath } from "./property-path.js";

export function unsetCommand(): Command {
  return {
    use: "unset PROPERTY_NAME",
    description: `Take one value out of a kubeconfig.

PROPERTY_NAME is a path: names of fields and of entries, joined by dots.`,
    examples: `# Have no current context
{{program}} config unset current-context

# Take the namespace out of the context foo
{{program}} config unset contexts.foo.namespace`,
    flags: [],
    execute: async (factory, invocation) => {
      const [property = ""] = invocation.args;
      if (invocation.args.length !== 1) throw await unexpectedArgs(invocation);
      if (property === "") throw new Error("you must specify a property");
      const access = accessOf(factory, invocation);
      const config = await access.start();
      modifyProperty(config, parsePropertyPath(property), "unset");
      await access.modify(config, false);
      factory.streams.out.write(`Property ${goQuote(property)} unset.\n`);
    },
  };
}

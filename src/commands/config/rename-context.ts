import { goQuote } from "../../base/go-quote.js";
import { withMistyped } from "../../base/mistyped.js";
import { completeContexts, firstOperand } from "../../cli/completion/global-completers.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Streams } from "../../cli/factory.js";
import { accessOf, type KubeconfigAccess, unexpectedArgs } from "./access.js";

export interface RenameContextOptions {
  readonly access: KubeconfigAccess;
  readonly from: string;
  readonly to: string;
}

export function renameContextCommand(run = runRenameContext): Command {
  return {
    use: "rename-context CONTEXT_NAME NEW_NAME",
    description: `Give a context of the kubeconfig another name.

CONTEXT_NAME is its name now, NEW_NAME the one it gets. When it is the current context, that follows.`,
    examples: `# Rename the context 'old-name' to 'new-name'
{{program}} config rename-context old-name new-name`,
    flags: [],
    execute: async (factory, invocation) =>
      run(await complete(invocation, accessOf(factory, invocation)), factory.streams),
    completeArgs: firstOperand(completeContexts),
  };
}

async function complete(invocation: Invocation, access: KubeconfigAccess): Promise<RenameContextOptions> {
  const [from = "", to = ""] = invocation.args;
  if (invocation.args.length !== 2) throw await unexpectedArgs(invocation);
  if (to === "") throw new Error("You must specify a new non-empty context name");
  return { access, from, to };
}

export async function runRenameContext({ access, from, to }: RenameContextOptions, streams: Streams): Promise<void> {
  const config = await access.start();
  const file = access.file();
  const context = config.contexts.get(from);
  if (context === undefined) {
    const error = new Error(`cannot rename the context ${goQuote(from)}, it's not in ${file}`);
    throw withMistyped(error, () => ({ typed: from, known: config.contexts.keys() }));
  }
  if (config.contexts.has(to)) {
    throw new Error(`cannot rename the context ${goQuote(from)}, the context ${goQuote(to)} already exists in ${file}`);
  }
  config.contexts.set(to, context);
  config.contexts.delete(from);
  if (config.currentContext === from) config.currentContext = to;
  await access.modify(config, true);
  streams.out.write(`Context ${goQuote(from)} renamed to ${goQuote(to)}.\n`);
}

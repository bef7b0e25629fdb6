import { goQuote } from "../../base/text/go-quote.js";
import { completeContexts, firstOperand } from "../../cli/completion/global-completers.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Streams } from "../../cli/connect/factory.js";
import { accessOf, type KubeconfigAccess, unexpectedArgs } from "../../cli/connect/kubeconfig-access.js";
import { renameContext } from "../../cli/connect/kubeconfig-contexts.js";

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
  await renameContext(access, from, to);
  streams.out.write(`Context ${goQuote(from)} renamed to ${goQuote(to)}.\n`);
}

import { goQuote } from "../../base/text/go-quote.js";
import { completeContexts, completeNamespaces, firstOperand } from "../../cli/completion/global-completers.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Streams } from "../../cli/connect/factory.js";
import { accessOf, type KubeconfigAccess, unexpectedArgs } from "../../cli/connect/kubeconfig-access.js";

export interface SetContextOptions {
  readonly access: KubeconfigAccess;
  readonly name: string;
  readonly current: boolean;
  /** Only what was given. */
  readonly change: { readonly cluster?: string; readonly user?: string; readonly namespace?: string };
}

export function setContextCommand(run = runSetContext): Command {
  return {
    use: "set-context [NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace]",
    description: `Set a context of the kubeconfig.

A context of that name keeps what is not given.`,
    examples: `# Change the user of the context gce and nothing else
{{program}} config set-context gce --user=cluster-admin`,
    flags: [
      { name: "cluster", type: "string", usage: "Cluster of the context, one that the kubeconfig has" },
      { name: "current", type: "bool", usage: "Change the current context" },
      { name: "namespace", short: "n", type: "string", usage: "Namespace in which commands work with this context" },
      { name: "user", type: "string", usage: "User of the context, one that the kubeconfig has" },
    ],
    execute: async (factory, invocation) =>
      run(await complete(invocation, accessOf(factory, invocation)), factory.streams),
    completeArgs: firstOperand(completeContexts),
    completeFlags: { namespace: completeNamespaces },
  };
}

async function complete(invocation: Invocation, access: KubeconfigAccess): Promise<SetContextOptions> {
  const { args, flags } = invocation;
  if (args.length > 1) throw await unexpectedArgs(invocation);
  const name = args[0] ?? "";
  const current = flags.bool("current");
  if (name === "" && !current) throw new Error("you must specify a non-empty context name or --current");
  if (name !== "" && current) throw new Error("you cannot specify both a context name and --current");
  const given = ["cluster", "user", "namespace"].filter((flag) => flags.changed(flag));
  return { access, name, current, change: Object.fromEntries(given.map((flag) => [flag, flags.string(flag)])) };
}

export async function runSetContext(
  { access, name, current, change }: SetContextOptions,
  streams: Streams,
): Promise<void> {
  const config = await access.start();
  if (current && config.currentContext === "") throw new Error("no current context is set");
  const target = current ? config.currentContext : name;
  const existing = config.contexts.get(target);
  config.contexts.set(target, { ...(existing ?? { origin: "" }), ...change });
  await access.modify(config, true);
  streams.out.write(`Context ${goQuote(target)} ${existing === undefined ? "created" : "modified"}.\n`);
}

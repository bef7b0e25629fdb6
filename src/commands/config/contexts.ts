import { withMistyped } from "../../base/text/mistyped.js";
import type { Kubeconfig } from "../../client/config/kubeconfig.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { headingCells, type Look, rowCells, tableColumns } from "../../printers/look.js";
import { TabWriter } from "../../printers/tab-writer.js";
import { accessOf, unexpectedArgs, type KubeconfigAccess } from "../../cli/connect/kubeconfig-access.js";
import { goQuote } from "../../base/text/go-quote.js";
import { completeContexts, firstOperand } from "../../cli/completion/global-completers.js";
import { switchContext, renameContext } from "../../cli/connect/kubeconfig-contexts.js";

export interface GetContextsOptions {
  readonly config: Kubeconfig;
  /** All when empty. */
  readonly names: readonly string[];
  readonly nameOnly: boolean;
  readonly headers: boolean;
  readonly write: (text: string) => void;
  readonly look: Look;
}

export function getContextsCommand(run = runGetContexts): Command {
  return {
    use: "get-contexts [(-o|--output=)name)]",
    description: "List the contexts of the kubeconfig, or show those named.",
    examples: `# List all contexts
{{program}} config get-contexts

# Show one
{{program}} config get-contexts my-context`,
    flags: [
      { name: "no-headers", type: "bool", usage: "Leave the headings out" },
      { name: "output", short: "o", type: "string", usage: "Output format. One of: (name)." },
    ],
    execute: async (factory, invocation) => run(await completeGet(factory, invocation)),
  };
}

async function completeGet(factory: Factory, invocation: Invocation): Promise<GetContextsOptions> {
  const { args, flags } = invocation;
  const output = flags.string("output");
  if (output !== "" && output !== "name") {
    throw new Error(
      `--output ${output} is not available in kubectl config get-contexts; resetting to default output format`,
    );
  }
  const nameOnly = output === "name";
  return {
    config: await accessOf(factory, invocation).start(),
    names: args,
    nameOnly,
    headers: !nameOnly && !flags.bool("no-headers"),
    write: (text) => factory.streams.out.write(text),
    look: factory.look,
  };
}

/** Prints the contexts that exist; throws for those that do not. */
export async function runGetContexts(options: GetContextsOptions): Promise<void> {
  const { config, names, nameOnly, headers, write, look } = options;
  const missing = names.filter((name) => !config.contexts.has(name));
  const found = names.length === 0 ? [...config.contexts.keys()] : names.filter((name) => config.contexts.has(name));
  const rows = found.sort().map((name) => {
    const { cluster = "", user = "", namespace = "" } = config.contexts.get(name) ?? {};
    return nameOnly ? [name] : [name === config.currentContext ? "*" : " ", name, cluster, user, namespace];
  });
  const table = new TabWriter(write, { measure: look.measure, fit: look.fit });
  if (!nameOnly) table.write.table?.(tableColumns(HEADINGS, headers));
  if (headers) table.write(`${headingCells(look, HEADINGS).join("\t")}\n`);
  for (const row of rows) table.write(`${rowCells(look, HEADINGS, row).join("\t")}\n`);
  table.flush();
  if (missing.length === 0) return;
  throw new AggregateError(
    missing.map((name) =>
      withMistyped(new Error(`context ${name} not found`), () => ({ typed: name, known: config.contexts.keys() })),
    ),
  );
}

const HEADINGS = ["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"];

export function currentContextCommand(): Command {
  return {
    use: "current-context [flags]",
    description: "Print the name of the current context.",
    examples: `# Print the name of the current context
{{program}} config current-context`,
    flags: [],
    execute: async (factory, invocation) => {
      const { currentContext } = await accessOf(factory, invocation).start();
      if (currentContext === "") throw new Error("current-context is not set");
      factory.streams.out.write(`${currentContext}\n`);
    },
  };
}

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
      run(await completeRename(invocation, accessOf(factory, invocation)), factory.streams),
    completeArgs: firstOperand(completeContexts),
  };
}

async function completeRename(invocation: Invocation, access: KubeconfigAccess): Promise<RenameContextOptions> {
  const [from = "", to = ""] = invocation.args;
  if (invocation.args.length !== 2) throw await unexpectedArgs(invocation);
  if (to === "") throw new Error("You must specify a new non-empty context name");
  return { access, from, to };
}

export async function runRenameContext({ access, from, to }: RenameContextOptions, streams: Streams): Promise<void> {
  await renameContext(access, from, to);
  streams.out.write(`Context ${goQuote(from)} renamed to ${goQuote(to)}.\n`);
}

import { withMistyped } from "../../base/text/mistyped.js";
import type { Kubeconfig } from "../../client/config/kubeconfig.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { headingCells, type Look, rowCells, tableColumns } from "../../printers/look.js";
import { TabWriter } from "../../printers/tab-writer.js";
import { accessOf } from "../../cli/connect/kubeconfig-access.js";

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
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<GetContextsOptions> {
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

/** Prints those that exist; those that do not are the error. */
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

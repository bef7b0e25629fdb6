import type { Command } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { failPlainly } from "./storage-flag.js";

export function clusterListCommand(run = listClusters): Command {
  return {
    use: "list",
    aliases: ["ls"],
    description: "List the named clusters with their state and address.",
    examples: "  {{program}} cluster list",
    flags: [],
    validateArgs: (invocation) => {
      if (invocation.args.length > 0)
        throw usageError(invocation, `list takes no names, got ${invocation.args.join(" ")}`);
    },
    execute: async (factory) => failPlainly(() => run(factory)),
  };
}

async function listClusters({ env, cwd, clock, log, streams, look }: Factory): Promise<void> {
  const { listNamedClusters } = await import("../../cluster/named/index.js");
  const clusters = await listNamedClusters({ env, cwd, clock, log: await log() });
  if (clusters.length === 0) {
    streams.err.write("No clusters; make one with: kubets cluster start\n");
    return;
  }
  const [{ TabWriter }, { headingCells, rowCells, tableColumns }] = await Promise.all([
    import("../../printers/tab-writer.js"),
    import("../../printers/look.js"),
  ]);
  const headings = ["NAME", "STATE", "SERVER", "STORAGE"];
  const table = new TabWriter((text) => streams.out.write(text), { measure: look.measure, fit: look.fit });
  table.write.table?.(tableColumns(headings, true));
  table.write(`${headingCells(look, headings).join("\t")}\n`);
  for (const { name, state, record } of clusters) {
    const cells = [name, state, record?.url ?? "<unknown>", record?.storage ?? "<unknown>"];
    table.write(`${rowCells(look, headings, cells).join("\t")}\n`);
  }
  table.flush();
}

import { inertLine } from "../../base/text/inert-text.js";
import { type Command, Directive, type Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { usageError } from "../../cli/errors.js";
import { emitYaml } from "../../machinery/text/yaml/emit.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { headingCells, rowCells, tableColumns } from "../../printers/look.js";
import { TabWriter } from "../../printers/tab-writer.js";
import { fromFlags, openOptions, readFrom } from "./storage-flags.js";

type ListedKeys = import("../../cluster/stored/index.js").ListedKeys;

const FORMATS = ["", "name", "json", "yaml"] as const;

export interface StorageListOptions {
  readonly format: (typeof FORMATS)[number];
  readonly list: () => Promise<ListedKeys>;
  readonly out: Pick<Factory, "streams" | "look">;
}

export function storageListCommand(run = runStorageList): Command {
  return {
    use: "list [PREFIX] --from=STORAGE [-o name|json|yaml]",
    aliases: ["ls"],
    description:
      "List the keys of a storage with their revisions, sizes and media types. With a PREFIX those that begin with it; the /registry/ in front may be left out.",
    examples: `# All keys of a stopped cluster
{{program}} storage list --from=cluster:dev

# The pods in an etcd, their names alone
{{program}} storage list pods/ --from=etcd --etcd-servers=http://127.0.0.1:2379 -o name`,
    flags: [
      ...fromFlags,
      { name: "output", short: "o", type: "string", default: "", usage: "Output format: name, json or yaml." },
    ],
    outputMustArrive: true,
    validateArgs: (invocation) => {
      const { args } = invocation;
      if (args.length > 1) throw usageError(invocation, `give at most one prefix, not ${args.length}`);
    },
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeFlags: {
      output: async (_, __, typed) => ({
        candidates: FORMATS.filter((format) => format !== "" && format.startsWith(typed)),
        directive: Directive.NoFileComp,
      }),
    },
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<StorageListOptions> {
  const given = invocation.flags.string("output");
  const format = FORMATS.find((one) => one === given);
  if (format === undefined) {
    throw usageError(invocation, `invalid value "${given}" for --output: use name, json or yaml`);
  }
  const storage = await readFrom(factory, invocation);
  const [prefix = ""] = invocation.args;
  const { listStorage } = await import("../../cluster/stored/index.js");
  return { format, list: () => listStorage(storage, prefix, openOptions(factory, invocation)), out: factory };
}

export async function runStorageList({ format, list, out: { streams, look } }: StorageListOptions): Promise<void> {
  const write = (text: string): void => void streams.out.write(text);
  const listed = await list();
  switch (format) {
    case "json":
      return write(`${encodeJson(listed, { indent: 4 })}\n`);
    case "yaml":
      return write(emitYaml(listed));
    case "name":
      for (const { key } of listed.keys) write(`${inertLine(key)}\n`);
      return;
    case "":
      if (listed.keys.length === 0) return void streams.err.write("No keys found\n");
      return writeTable(listed, write, look);
  }
}

function writeTable({ keys }: ListedKeys, write: (text: string) => void, look: Factory["look"]): void {
  const headings = ["KEY", "REVISION", "BYTES", "MEDIA TYPE"];
  const table = new TabWriter(write, { measure: look.measure, fit: look.fit });
  table.write.table?.(tableColumns(headings, true));
  table.write(`${headingCells(look, headings).join("\t")}\n`);
  for (const { key, revision, bytes, mediaType = "<unknown>" } of keys) {
    const cells = [inertLine(key), String(revision), String(bytes), mediaType];
    table.write(`${rowCells(look, headings, cells).join("\t")}\n`);
  }
  table.flush();
}

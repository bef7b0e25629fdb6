import { type Command, Directive, type Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { usageError } from "../../cli/errors.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { jsonPrinter, yamlPrinter } from "../../printers/object-printers.js";
import { decryptionFlag, fromFlags, openOptions, readFrom } from "./storage-flags.js";

export interface StorageGetOptions {
  readonly isJson: boolean;
  readonly read: () => Promise<KubeObject>;
  readonly write: (text: string) => void;
}

export function storageGetCommand(run = runStorageGet): Command {
  return {
    use: "get KEY --from=STORAGE [-o yaml|json]",
    description:
      "Print the object that a storage holds under a key, in the version in which it is stored. The /registry/ in front of the key may be left out.",
    examples: `{{program}} storage get pods/default/web --from=disk:./data
{{program}} storage get /registry/deployments/shop/web --from=postgres://kubets@localhost/kubets -o json`,
    flags: [
      ...fromFlags,
      decryptionFlag,
      { name: "output", short: "o", type: "string", default: "yaml", usage: "Output format: yaml or json." },
    ],
    outputMustArrive: true,
    validateArgs: (invocation) => {
      const { args } = invocation;
      if (args.length !== 1) throw usageError(invocation, `give one key, not ${args.length}`);
    },
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeFlags: {
      output: async (_, __, typed) => ({
        candidates: ["yaml", "json"].filter((format) => format.startsWith(typed)),
        directive: Directive.NoFileComp,
      }),
    },
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<StorageGetOptions> {
  const format = invocation.flags.string("output");
  if (format !== "yaml" && format !== "json") {
    throw usageError(invocation, `invalid value "${format}" for --output: use yaml or json`);
  }
  const storage = await readFrom(factory, invocation);
  const [key = ""] = invocation.args;
  const { readStored } = await import("../../cluster/stored/index.js");
  return {
    isJson: format === "json",
    read: async () => (await readStored(storage, key, openOptions(factory, invocation))).object,
    write: (text) => void factory.streams.out.write(text),
  };
}

export async function runStorageGet({ isJson, read, write }: StorageGetOptions): Promise<void> {
  (isJson ? jsonPrinter() : yamlPrinter()).print(await read(), write);
}

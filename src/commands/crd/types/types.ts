import type { Command, Invocation } from "../../../cli/command.js";
import { usageError } from "../../../cli/errors.js";
import type { Factory } from "../../../cli/connect/factory.js";
import { filenameFlags, readFilenames, requireFilenames } from "../../../cli/flags/filename-flags.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Result } from "../../../resource/builder.js";
import { definitionTypes, IMPORTS } from "./definition-types.js";

export interface CrdTypesOptions {
  readonly find: () => Promise<Result>;
  readonly write: (text: string) => void;
}

export function crdTypesCommand(run = runCrdTypes): Command {
  return {
    use: "types -f FILENAME",
    description: `Print TypeScript types of the custom resources that CustomResourceDefinitions define, for each version that is served: interfaces with the
descriptions as comments, and an entry in ApiKinds, by which client.of knows the type.`,
    examples: `# The types of one definition
{{program}} crd types -f widgets.yaml > widgets.ts

# Those of a folder
{{program}} crd types -f crds/ > kinds.ts

# Those of what a cluster has
{{program}} get crd widgets.example.com -o yaml | {{program}} crd types -f -`,
    flags: filenameFlags("The files with the definitions"),
    outputMustArrive: true,
    execute: async (factory, invocation) => run(complete(factory, invocation)),
  };
}

function complete(factory: Factory, invocation: Invocation): CrdTypesOptions {
  const { args, flags } = invocation;
  if (args.length > 0) throw usageError(invocation, `unexpected arguments: [${args.join(" ")}]`);
  const files = readFilenames(flags);
  requireFilenames(files);
  return {
    find: async () => {
      const builder = await factory.builder();
      return builder.local(true).continueOnError().filenames(false, files).flatten().do();
    },
    write: (text) => factory.streams.out.write(text),
  };
}

/** Prints the types of all definitions or, when one cannot be read, of none. */
async function runCrdTypes({ find, write }: CrdTypesOptions): Promise<void> {
  const definitions: KubeObject[] = [];
  const result = await find();
  await result.visit(async ({ object }) => {
    if (object?.kind === "CustomResourceDefinition") definitions.push(object);
  });
  if (definitions.length === 0) throw new Error("no CustomResourceDefinition found in the files");
  write(`${[IMPORTS, ...definitions.map(definitionTypes)].join("\n\n")}\n`);
}

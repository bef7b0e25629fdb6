import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { readFilenames, requireFilenames } from "../../cli/flags/filename-flags.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Result } from "../../resource/builder.js";

/** The options of a command that writes what it makes of the definitions in files. */
export interface DefinitionFiles {
  readonly find: () => Promise<Result>;
  readonly write: (text: string) => void;
}

/** The options of a command line that names files and nothing else. */
export function definitionFiles(factory: Factory, invocation: Invocation): DefinitionFiles {
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

/** Reads the CustomResourceDefinitions of the files. Throws where there is none. */
export async function readDefinitions({ find }: Pick<DefinitionFiles, "find">): Promise<readonly KubeObject[]> {
  const definitions: KubeObject[] = [];
  const result = await find();
  await result.visit(async ({ object }) => {
    if (object?.kind === "CustomResourceDefinition") definitions.push(object);
  });
  if (definitions.length === 0) throw new Error("no CustomResourceDefinition found in the files");
  return definitions;
}

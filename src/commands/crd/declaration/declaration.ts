import type { Command, Invocation } from "../../../cli/command.js";
import type { Factory } from "../../../cli/connect/factory.js";
import { filenameFlags } from "../../../cli/flags/filename-flags.js";
import { type DefinitionFiles, definitionFiles, readDefinitions } from "../definition-files.js";
import { declareKinds } from "./declare-kinds.js";

export function crdDeclarationCommand(run = runCrdDeclaration): Command {
  return {
    use: "declaration -f FILENAME",
    description: `Print TypeScript that declares the kinds of CustomResourceDefinitions by "kind" of kubets/kind: every field with its description, its rules and its
default, and the columns, subresources and names of the kind. "crdOf" makes the definition again.`,
    examples: `# The declaration of one kind
{{program}} crd declaration -f widgets.yaml > widgets.ts

# One module for the kinds of a folder, which share what is equal
{{program}} crd declaration -f crds/ > kinds.ts

# A kind that a cluster has
{{program}} get crd widgets.example.com -o yaml | {{program}} crd declaration -f -`,
    flags: filenameFlags("The files with the definitions"),
    outputMustArrive: true,
    execute: async (factory: Factory, invocation: Invocation) => run(definitionFiles(factory, invocation)),
  };
}

/** Prints the declarations of all definitions or, when one cannot be read, of none. */
async function runCrdDeclaration(files: DefinitionFiles): Promise<void> {
  files.write(declareKinds(await readDefinitions(files)));
}

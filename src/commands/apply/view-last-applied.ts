import { goQuote } from "../../base/text/go-quote.js";
import { lastApplied } from "../../actions/apply/last-applied.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeTypesAndNames } from "../../cli/completion/resource-completers.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { filenameFlags, readFilenames, selectorFlag } from "../../cli/flags/resource-flags.js";
import { allFlag } from "../../cli/flags/selection-flags.js";
import { indentJson } from "../../machinery/wire/json/indent-json.js";
import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import type { Result } from "../../resource/builder.js";

export interface ViewLastAppliedOptions {
  readonly find: () => Promise<Result>;
  /** Turns one recorded configuration into what is printed. */
  readonly format: (configuration: string) => Promise<string>;
  readonly write: (text: string) => void;
}

export function viewLastAppliedCommand(run = runViewLastApplied): Command {
  return {
    use: "view-last-applied (TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)",
    description: "Show the configuration that was applied to resources last, as their annotation records it.",
    examples: `# What was applied to a deployment last
{{program}} apply view-last-applied deployment/nginx

# The same of what a file names, as JSON
{{program}} apply view-last-applied -f deploy.yaml -o json`,
    flags: [
      { name: "output", short: "o", type: "string", default: "yaml", usage: "Output format: yaml or json" },
      allFlag,
      ...filenameFlags("File, directory or URL that names what to show"),
      selectorFlag,
    ],
    execute: async (factory, invocation) => run(complete(factory, invocation)),
    completeArgs: completeTypesAndNames,
  };
}

function complete(factory: Factory, invocation: Invocation): ViewLastAppliedOptions {
  const { args, flags } = invocation;
  return {
    find: async () => {
      const { namespace, enforced } = await factory.namespace();
      const builder = await factory.builder();
      return builder
        .namespaceParam(namespace)
        .defaultNamespace()
        .filenames(enforced, readFilenames(flags))
        .typeOrNameArgs(enforced, args)
        .selectAll(flags.bool("all"))
        .labelSelector(flags.string("selector"))
        .latest()
        .flatten()
        .do();
    },
    format: async (configuration) => {
      const output = flags.string("output");
      const text = await formatted(configuration, output, invocation);
      const { paint } = factory.look;
      return (output === "json" ? paint?.json : paint?.yaml)?.(text) ?? text;
    },
    write: (text) => void factory.streams.out.write(text),
  };
}

async function formatted(configuration: string, output: string, invocation: Invocation): Promise<string> {
  switch (output) {
    case "json":
      decodeJson(configuration);
      return indentJson(configuration, 2);
    case "yaml": {
      const [{ parseYaml }, { emitYaml }] = await Promise.all([
        import("../../machinery/text/yaml/read.js"),
        import("../../machinery/text/yaml/emit.js"),
      ]);
      return emitYaml(parseYaml(configuration));
    }
    default:
      throw usageError(invocation, `Unexpected -o output mode: ${output}, the flag 'output' must be one of yaml|json`);
  }
}

/** Reads everything first. As kubectl has it, an object that was never applied is passed over when it was named by arguments. */
export async function runViewLastApplied({ find, format, write }: ViewLastAppliedOptions): Promise<void> {
  const configurations: string[] = [];
  const result = await find();
  await result.visit(async (info) => {
    const recorded = lastApplied(info.object ?? {});
    if (recorded !== undefined) configurations.push(recorded);
    else if (info.source !== "") throw new Error(neverApplied(info.name, info.source));
  });
  for (const configuration of configurations) write(await format(configuration));
}

const neverApplied = (name: string, source: string): string =>
  `error when no last-applied-configuration annotation found on resource: ${name}\n ${goQuote(source)}: <nil>`;

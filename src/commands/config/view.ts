import { encodeKubeconfig } from "../../client/config/encode-kubeconfig.js";
import type { Kubeconfig } from "../../client/config/kubeconfig.js";
import type { Command, Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import { accessOf } from "../../cli/connect/kubeconfig-access.js";
import { flattened, minified, redacted } from "./view-filters.js";

export interface ViewOptions {
  readonly load: () => Promise<Kubeconfig>;
  /** --context, for --minify; "" keeps the current one. */
  readonly context: string;
  readonly minify: boolean;
  readonly flatten: boolean;
  readonly raw: boolean;
  readonly cwd: string;
  readonly print: (object: KubeObject) => void;
}

export function viewCommand(run = runView): Command {
  return {
    use: "view [flags]",
    description: `Show the merged kubeconfig, or one file of it. Secrets and certificates are hidden unless --raw or --flatten is given.

 --output jsonpath={...} takes single values out of it.`,
    examples: `# Show the merged kubeconfig
{{program}} config view

# Show it with its certificates and secrets
{{program}} config view --raw

# Get the password of the user e2e
{{program}} config view -o jsonpath='{.users[?(@.name == "e2e")].user.password}'`,
    flags: [
      ...printFlags.map((spec) => (spec.name === "output" ? { ...spec, default: "yaml" } : spec)),
      { name: "flatten", type: "bool", usage: "Put the files it names into it, so that it can be carried elsewhere" },
      { name: "merge", type: "bool", default: "true", usage: "Merge all the kubeconfig files" },
      { name: "minify", type: "bool", usage: "Leave out all that the current context does not use" },
      { name: "raw", type: "bool", usage: "Show certificates and secrets" },
    ],
    outputMustArrive: true,
    execute: async (factory, invocation) => run(complete(factory, invocation)),
  };
}

function complete(factory: Factory, invocation: Invocation): ViewOptions {
  const { args, flags } = invocation;
  if (args.length > 0) throw usageError(invocation, `unexpected arguments: [${args.join(" ")}]`);
  const print = printTo(factory, invocation);
  const access = accessOf(factory, invocation);
  if (!flags.bool("merge") && access.sources.explicitPath === "") {
    throw new Error("if merge==false a precise file must be specified");
  }
  return {
    load: () => access.start(),
    context: flags.string("context"),
    minify: flags.bool("minify"),
    flatten: flags.bool("flatten"),
    raw: flags.bool("raw"),
    cwd: factory.cwd,
    print,
  };
}

/** Fields stay in their own order, where a format shows one. */
function printTo(factory: Factory, { flags }: Invocation): (object: KubeObject) => void {
  const request = { ...readPrintRequest(flags, factory), encode: (object: KubeObject) => encodeJson(object) };
  const byTemplate = request.template !== "" && !flags.changed("output");
  const printer = printerFor(byTemplate ? { ...request, output: "" } : request);
  return (object) => printer.print(object, (text) => void factory.streams.out.write(text));
}

export async function runView(options: ViewOptions): Promise<void> {
  let config = await options.load();
  if (options.minify) config = minified(config, options.context);
  if (options.flatten) config = flattened(config, options.cwd);
  else if (!options.raw) config = redacted(config);
  options.print(encodeKubeconfig(config) as KubeObject);
}

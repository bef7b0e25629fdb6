import { resolve } from "node:path";
import { PathError } from "../../base/files/path-error.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeTypesAndNames, completeWords, offerWords } from "../../cli/completion/resource-completers.js";
import { usageError } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { hintAtDropped, hintAtNamespace } from "../../cli/advice/hints.js";
import { requireRequestUri, parseRequestUri } from "../../cli/request-uri.js";
import { getFormats } from "../../printers/formats.js";
import type { GetOptions, GetPrintOptions, GetRun } from "./options.js";
import { printGeneric, printHuman } from "./print-objects.js";
import { sorting, loadSorting, loadGetFormat } from "./to-printer.js";
import { watchResources } from "./watch.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { writeOutput } from "../../cli/write-output.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { loadTemplates } from "../../cli/flags/print-flags.js";

export function getCommand(run: GetRun = runGet): Command {
  return {
    use: `get [(-o|--output=)${getFormats.join("|")}] (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...) [flags]`,
    namesFlags: true,
    description: `Show one or many resources.

Without -o the result is a table of what matters most of each resource. Namespaced types are looked up in the current namespace unless -n or -A says otherwise; -l and --field-selector narrow the list.

Use "{{program}} api-resources" for a complete list of supported resources.`,
    examples: `# List the pods of the current namespace
{{program}} get pods

# The same with more columns, such as the node
{{program}} get pods -o wide

# One deployment as YAML, in the "v1" version of the "apps" group
{{program}} get deployments.v1.apps web -o yaml

# What a file names, as the server has it
{{program}} get -f pod.yaml -o json

# One value
{{program}} get pod web -o jsonpath='{.status.phase}'

# Columns of your own
{{program}} get pods -o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[0].image

# Several types, and several resources
{{program}} get deployments,services
{{program}} get deployment/web service/web

# Everything in all namespaces that carries a label
{{program}} get all -A -l app=web

# By namespace, and in each the ones with most restarts first
{{program}} get pods -A --sort-by='.metadata.namespace,-.status.containerStatuses[0].restartCount'

# What a secret holds, as text
{{program}} get secret credentials -o decoded

# Changes as they happen, on a terminal of several types as well
{{program}} get pods -w
{{program}} get pods,deployments -w`,
    flags: getFlags,
    execute: async (factory, invocation) => {
      const options = await complete(factory, invocation);
      validate(options);
      await run(options, factory.streams);
    },
    // A watch that a signal ends is an ordinary failure, as in kubectl.
    handlesSignals: ({ flags }) => flags.bool("watch") || flags.bool("watch-only"),
    completeArgs: completeTypesAndNames,
    completeFlags: { output: completeWords(getFormats), subresource: offerWords(["status", "scale", "resize"]) },
  };
}

/** Reads the flags; warns and refuses in kubectl's order. */
async function complete(factory: Factory, invocation: Invocation): Promise<GetOptions> {
  const { args, flags, signal } = invocation;
  const raw = flags.string("raw");
  if (raw !== "" && args.length > 0) throw new Error("arguments may not be passed when --raw is specified");
  const { namespace, enforced } = raw === "" ? await factory.namespace() : { namespace: "", enforced: false };
  const allNamespaces = flags.bool("all-namespaces");
  const options: GetOptions = {
    args,
    files: {
      filenames: flags.strings("filename"),
      recursive: flags.bool("recursive"),
      kustomize: flags.string("kustomize"),
    },
    namespace,
    explicitNamespace: enforced && !allNamespaces,
    allNamespaces,
    labelSelector: flags.string("selector"),
    fieldSelector: flags.string("field-selector"),
    subresource: flags.string("subresource"),
    chunkSize: flags.number("chunk-size"),
    raw,
    watch: flags.bool("watch"),
    watchOnly: flags.bool("watch-only"),
    outputWatchEvents: flags.bool("output-watch-events"),
    ignoreNotFound: flags.bool("ignore-not-found"),
    print: completePrint(factory, invocation),
    clock: factory.clock,
    log: () => factory.log(),
    signal,
    builder: () => factory.builder(),
    restClient: () => factory.restClient(),
    hintAtNamespace: () => hintAtNamespace(factory, signal),
    hintAtDropped: (error) => hintAtDropped(error, factory, signal),
  };
  if (raw === "") checkTarget(options, factory.streams, invocation);
  return options;
}

function completePrint(factory: Factory, { flags }: Invocation): GetPrintOptions {
  const output = flags.string("output");
  const template = flags.string("template");
  return {
    output,
    template,
    allowMissingTemplateKeys: flags.bool("allow-missing-template-keys"),
    showManagedFields: flags.bool("show-managed-fields"),
    readFile: (path) => readTemplateFile(factory, path),
    humanReadable: (output === "" && template === "") || output === "wide",
    serverPrint:
      flags.bool("server-print") &&
      !(output.includes("custom-columns") || output === "yaml" || output.includes("json")),
    noHeaders: flags.bool("no-headers"),
    showKind: flags.bool("show-kind"),
    showLabels: flags.bool("show-labels"),
    columnLabels: flags.strings("label-columns"),
    sortBy: flags.string("sort-by"),
    look: factory.look,
  };
}

function readTemplateFile({ cwd, files }: Factory, path: string): string {
  try {
    return files.readFileSync(resolve(cwd, path)).toString("utf8");
  } catch (error) {
    throw new PathError("open", path, error);
  }
}

function checkTarget(options: GetOptions, { err }: Streams, invocation: Invocation): void {
  const { watch, watchOnly, print, args, files } = options;
  if (watch || watchOnly) {
    if (print.sortBy === "") return;
    const ignored = watch
      ? "--watch requested, --sort-by will be ignored for watch events received"
      : "--watch-only requested, --sort-by will be ignored";
    err.write(`warning: ${ignored}\n`);
    return;
  }
  if (args.length > 0 || files.filenames.length > 0 || (files.kustomize ?? "") !== "") return;
  const program = invocation.commandPath.split(" ")[0] ?? "";
  err.write(
    `You must specify the type of resource to get. Use "${program} api-resources" for a complete list of supported resources.\n\n`,
  );
  const hint = `Use "${program} explain <resource>" for a detailed description of that resource (e.g. ${program} explain pods).`;
  throw usageError(invocation, `Required resource not specified.\n${hint}`);
}

/** Throws for what contradicts itself. */
function validate({ raw, watch, watchOnly, outputWatchEvents, labelSelector, print }: GetOptions): void {
  if (raw !== "") {
    if (watch || watchOnly || labelSelector !== "") {
      throw new Error("--raw may not be specified with other flags that filter the server request or alter the output");
    }
    if (print.output !== "") throw new Error("--raw and --output are mutually exclusive");
    requireRequestUri(raw);
  }
  if (print.showLabels && print.output !== "" && print.output !== "wide") {
    throw new Error(`--show-labels option cannot be used with ${print.output} printer`);
  }
  if (print.columnLabels.length > 0 && print.output.startsWith("custom-columns")) {
    throw new Error(`--label-columns option cannot be used with ${print.output} printer`);
  }
  if (outputWatchEvents && !(watch || watchOnly)) {
    throw new Error("--output-watch-events option can only be used with --watch or --watch-only");
  }
  sorting()?.checkSortKeys(print.sortBy);
}

export async function runGet(options: GetOptions, streams: Streams): Promise<void> {
  if (options.raw !== "") return getRaw(await options.restClient(), options, streams);
  if (options.watch || options.watchOnly) return watchResources(options, streams);
  try {
    await (options.print.humanReadable ? printHuman(options, streams) : printGeneric(options, streams));
  } catch (error) {
    throw sorting()?.asEnd(error, options.clock) ?? error;
  }
}

/** Prints the answer's bytes as they arrive. */
export async function getRaw(
  client: RestClient,
  { raw, signal }: { readonly raw: string; readonly signal: AbortSignal },
  streams: Streams,
): Promise<void> {
  const { body } = await client.stream({ method: "GET", ...parseRequestUri(raw), userPath: true, signal });
  for await (const chunk of body) await writeOutput(streams.out, chunk);
}

export const getFlags: readonly FlagSpec[] = [
  { name: "show-managed-fields", type: "bool", usage: "Keep metadata.managedFields in JSON and YAML output." },
  {
    name: "template",
    type: "string",
    usage: "The template, or the file that holds it, for the output formats that take one.",
    load: loadTemplates,
  },
  {
    name: "allow-missing-template-keys",
    type: "bool",
    default: "true",
    usage: "A field or key that a template names and the object lacks is not an error.",
  },
  { name: "show-labels", type: "bool", usage: "Add a last column with all labels." },
  {
    name: "sort-by",
    type: "string",
    usage:
      "Sort lists by the field this JSONPath expression names, such as '{.metadata.name}': a number or text. Without braces there may be " +
      "several, parted by commas, and one after a minus sorts the other way round: .metadata.namespace,-.metadata.creationTimestamp",
    load: loadSorting,
  },
  {
    name: "label-columns",
    short: "L",
    type: "stringSlice",
    usage: "Labels to show as columns, separated by commas; may be repeated. Case matters.",
  },
  { name: "show-kind", type: "bool", usage: "Show the type before each name." },
  {
    name: "output",
    short: "o",
    type: "string",
    usage: `Output format, one of: (${getFormats.join(", ")}). For Secrets also "decoded": their data as it is, not as base64.`,
    load: loadGetFormat,
  },
  { name: "no-headers", type: "bool", usage: "Leave the headings out of tables and custom columns." },
  { name: "raw", type: "string", usage: "Ask the server for this URI and print the answer as it is." },
  { name: "watch", short: "w", type: "bool", usage: "After the list, show changes as they happen." },
  { name: "watch-only", type: "bool", usage: "Show changes as they happen, without the list first." },
  {
    name: "output-watch-events",
    type: "bool",
    usage: "With --watch or --watch-only, print events instead of objects; what exists already comes as ADDED.",
  },
  {
    name: "ignore-not-found",
    type: "bool",
    usage: "An object that is named and does not exist is not an error, and an empty result says nothing.",
  },
  {
    name: "field-selector",
    type: "string",
    usage:
      "Only objects whose fields match, with '=', '==' and '!=' (key1=value1,key2=value2). Few fields are supported per type.",
  },
  {
    name: "all-namespaces",
    short: "A",
    type: "bool",
    usage: "List across all namespaces, whatever --namespace says.",
  },
  {
    name: "server-print",
    type: "bool",
    default: "true",
    usage: "Let the server make the table, which knows extension types too.",
  },
  {
    name: "filename",
    short: "f",
    type: "stringSlice",
    usage: "File, directory or URL that names what to get.",
  },
  {
    name: "kustomize",
    short: "k",
    type: "string",
    usage: "Directory with a kustomization, of which the objects are got. Not together with -f or -R.",
  },
  {
    name: "recursive",
    short: "R",
    type: "bool",
    usage: "Read the directories given with -f with all that is below them.",
  },
  {
    name: "chunk-size",
    type: "int64",
    default: "500",
    usage: "Read large lists in pages of this size; 0 reads them at once.",
  },
  {
    name: "selector",
    short: "l",
    type: "string",
    usage: "Only objects whose labels match, with '=', '==', '!=', 'in' and 'notin' (-l key1=value1,key2 in (a,b)).",
  },
  { name: "subresource", type: "string", usage: "Get this subresource of the object." },
];

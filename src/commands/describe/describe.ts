import type { Clock } from "../../base/time/clock.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeTypesAndNames } from "../../cli/completion/resource-completers.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { filenameFlags, readFilenames, selectorFlag } from "../../cli/flags/resource-flags.js";
import { hintAtNamespace } from "../../cli/advice/hints.js";
import { zoneNames } from "../../cli/zone-names.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { describerOf, Description } from "../../polymorphic-helpers/describe/index.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import type { Look } from "../../printers/look.js";
import { DESCRIPTION, TabWriter } from "../../printers/tab-writer.js";
import { escapeForTerminal } from "../../printers/terminal-escape.js";
import type { Builder, FilenameOptions } from "../../resource/builder.js";
import type { Info } from "../../resource/info.js";
import { throwAll } from "../../resource/visitor.js";
import { clusterReader } from "../../actions/cluster-reader.js";

export interface DescribeOptions {
  readonly args: readonly string[];
  readonly files: FilenameOptions;
  readonly selector: string;
  readonly namespace: string;
  readonly enforceNamespace: boolean;
  readonly allNamespaces: boolean;
  /** Undefined: of a single object only. */
  readonly showEvents: boolean | undefined;
  readonly chunkSize: number;
  readonly builder: () => Promise<Builder>;
  readonly client: () => Promise<RestClient>;
  readonly clock: Clock;
  /** What the zone of this machine is called at a time in milliseconds. */
  readonly zoneName: (milliseconds: number) => string;
  readonly streams: Streams;
  /** Called after "No resources found in NAMESPACE". */
  readonly hintAtNamespace: () => Promise<void>;
  readonly look: Look;
}

export function describeCommand(run = runDescribe): Command {
  return {
    use: "describe (-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)",
    description: `Show what there is to know of a resource or of several: their fields in words, what belongs to them, and what
happened to them lately. A name that no resource has is taken for the beginning of names.`,
    examples: `# Describe a node
{{program}} describe nodes worker-1

# Describe a pod
{{program}} describe pods/nginx

# Describe what pod.json names
{{program}} describe -f pod.json

# Describe all pods
{{program}} describe pods

# Describe pods with the label name=myLabel
{{program}} describe pods -l name=myLabel

# Describe every pod whose name begins with "frontend"
{{program}} describe pods frontend`,
    flags: [
      ...filenameFlags("File, directory or URL that names what to describe"),
      selectorFlag,
      { name: "all-namespaces", short: "A", type: "bool", usage: "In all namespaces, whatever -n says" },
      {
        name: "show-events",
        type: "bool",
        default: "true",
        usage: "Show the events of what is described. By default only of a single resource",
      },
      {
        name: "chunk-size",
        type: "int64",
        default: "500",
        usage: "Read long lists in pages of this size; 0 reads them at once",
      },
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeTypesAndNames,
  };
}

async function complete(factory: Factory, { args, flags, signal }: Invocation): Promise<DescribeOptions> {
  const { namespace, enforced } = await factory.namespace();
  const allNamespaces = flags.bool("all-namespaces");
  const files = readFilenames(flags);
  if (args.length === 0 && files.filenames.length === 0 && (files.kustomize ?? "") === "") {
    throw new Error(
      `You must specify the type of resource to describe. Use "${factory.program} api-resources" for a complete list of supported resources.\n`,
    );
  }
  return {
    args,
    files,
    selector: flags.string("selector"),
    namespace,
    enforceNamespace: enforced && !allNamespaces,
    allNamespaces,
    showEvents: flags.changed("show-events") ? flags.bool("show-events") : undefined,
    chunkSize: flags.number("chunk-size"),
    builder: factory.builder,
    client: factory.restClient,
    clock: factory.clock,
    zoneName: zoneNames(factory.env.TZ),
    streams: factory.streams,
    hintAtNamespace: () => hintAtNamespace(factory, signal),
    look: factory.look,
  };
}

/** Describes all objects found, continues after a failure, and reports each error once. */
export async function runDescribe(options: DescribeOptions): Promise<void> {
  const { args, streams, allNamespaces, namespace } = options;
  const builder = await options.builder();
  const result = await builder
    .continueOnError()
    .namespaceParam(namespace)
    .defaultNamespace()
    .allNamespaces(allNamespaces)
    .filenames(options.enforceNamespace, options.files)
    .labelSelector(options.selector)
    .typeOrNameArgs(true, args)
    .requestChunksOf(options.chunkSize)
    .flatten()
    .do();
  const { infos, error } = await result.gather();
  const showEvents = options.showEvents ?? (error === undefined && infos.length <= 1);
  const failures: unknown[] = [];
  if (error !== undefined) {
    if (isNotFound(error) && args.length === 2) return describeMatching(error, options, args[0] ?? "", args[1] ?? "");
    failures.push(error);
  }
  let first = true;
  for (const info of infos) {
    try {
      const text = await describe(info, options, showEvents);
      streams.out.write(first ? text : `\n\n${text}`);
      first = false;
    } catch (failure) {
      const isNew = failures.every((known) => errorMessage(known) !== errorMessage(failure));
      if (isNew) failures.push(failure);
    }
  }
  if (infos.length === 0 && failures.length === 0) {
    streams.err.write(allNamespaces ? "No resources found\n" : `No resources found in ${namespace} namespace.\n`);
    if (!allNamespaces) await options.hintAtNamespace();
  }
  throwAll(failures);
}

/** What begins with `prefix`; with nothing of the kind, what was said of the name itself. */
async function describeMatching(
  original: unknown,
  options: DescribeOptions,
  type: string,
  prefix: string,
): Promise<void> {
  const builder = await options.builder();
  const result = await builder
    .namespaceParam(options.namespace)
    .defaultNamespace()
    .typeOrNameArgs(true, [type])
    .singleResourceType()
    .requestChunksOf(options.chunkSize)
    .flatten()
    .do();
  const matching = (await result.infos()).filter(({ name }) => name.startsWith(prefix));
  if (matching.length === 0) throw original;
  for (const info of matching) {
    options.streams.out.write(`${await describe(info, options, options.showEvents ?? false)}\n`);
  }
}

async function describe(
  { mapping, namespace, name }: Info,
  options: DescribeOptions,
  showEvents: boolean,
): Promise<string> {
  const description = new Description();
  const describer = (await describerOf(mapping.kind)) ?? (await describeAnything(mapping));
  const reader = clusterReader(await options.client(), options.chunkSize);
  await describer(namespace, name, description, {
    reader,
    showEvents,
    now: options.clock.now(),
    zoneName: options.zoneName,
  });
  return align(description.parts(), options.look);
}

async function describeAnything(mapping: RestMapping) {
  const { describeAny } = await import("../../polymorphic-helpers/describe/generic.js");
  return describeAny(mapping);
}

/** Each part by itself. */
function align(parts: readonly string[], { measure, paint }: Look): string {
  let text = "";
  for (const part of parts) {
    const writer = new TabWriter(
      (aligned) => {
        text += aligned;
      },
      { ...DESCRIPTION, measure },
    );
    writer.write(escapeForTerminal(part));
    writer.flush();
  }
  return paint?.description(text) ?? text;
}

import { withoutVersion, withVersion } from "../../actions/version-lock.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeTypesAndNames } from "../../cli/completion/resource-completers.js";
import type { Factory, Streams } from "../../cli/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { readRecord, recordFlag } from "../../cli/flags/record-flag.js";
import {
  type DryRunStrategy,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  readDryRun,
  readFilenames,
  selectorFlag,
  withDryRun,
} from "../../cli/flags/resource-flags.js";
import { allFlag, allNamespacesFlag, fieldSelectorFlag, localFlag } from "../../cli/flags/selection-flags.js";
import { type PairChanges, parsePairs, splitResourcesAndPairs } from "../../cli/pairs.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { withChangeCause } from "../../kinds/change-cause.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { createMergePatch } from "../../machinery/patch/merge-patch.js";
import { printerFor } from "../../printers/formats.js";
import type { Result } from "../../resource/builder.js";
import { sortedJson } from "../../resource/encode-json.js";
import { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import { changeAnnotations, requireOneChangeEach } from "./change-annotations.js";

export interface AnnotateOptions {
  readonly changes: PairChanges;
  readonly overwrite: boolean;
  /** Shows the annotations, as they would be, instead of changing them. */
  readonly list: boolean;
  readonly local: boolean;
  readonly dryRun: DryRunStrategy;
  /** "": whatever the object's version is. */
  readonly resourceVersion: string;
  readonly fieldManager: string;
  /** Why, for --record. */
  readonly cause: string | undefined;
  readonly find: () => Promise<Result>;
  readonly client: () => Promise<RestClient>;
  readonly print: (object: KubeObject) => void;
  readonly streams: Streams;
}

export function annotateCommand(run = runAnnotate): Command {
  return {
    use: "annotate [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
    description: `Set and remove annotations of resources: KEY=VALUE sets one, KEY- removes it. A value may be any text, JSON too; tools
keep what they must remember there. An annotation that has another value is only changed with --overwrite.

"{{program}} api-resources" lists the types there are.`,
    examples: `# Annotate the pod "foo"; given twice, the last value counts
{{program}} annotate pods foo description='my frontend'

# The pod that pod.json names
{{program}} annotate -f pod.json description='my frontend'

# Whatever the annotation said before
{{program}} annotate --overwrite pods foo description='my frontend running nginx'

# All pods of the namespace
{{program}} annotate pods --all description='my frontend running nginx'

# Only if nobody changed it since version 1
{{program}} annotate pods foo description='my frontend running nginx' --resource-version=1

# Take the annotation "description" away
{{program}} annotate pods foo description-`,
    flags: [
      ...printFlags,
      ...filenameFlags("File, directory or URL that names what to annotate"),
      selectorFlag,
      fieldSelectorFlag,
      allNamespacesFlag,
      allFlag,
      localFlag,
      recordFlag,
      dryRunFlag,
      fieldManagerFlag("kubectl-annotate"),
      { name: "overwrite", type: "bool", usage: "Change annotations that have another value, rather than refuse" },
      { name: "list", type: "bool", usage: "Show the annotations" },
      {
        name: "resource-version",
        type: "string",
        usage: "Change the resource only if it still has this version. For a single resource",
      },
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeTypesAndNames,
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<AnnotateOptions> {
  const { flags } = invocation;
  const dryRun = readDryRun(flags, factory);
  const { resources, pairs } = splitResourcesAndPairs(invocation.args, "annotation");
  const changes = parsePairs(pairs, "annotation", true);
  validate(invocation, resources, changes, dryRun);
  const printer = printerFor(readPrintRequest(flags, factory), withDryRun("annotated", dryRun));
  const local = flags.bool("local");
  return {
    changes,
    overwrite: flags.bool("overwrite"),
    list: flags.bool("list"),
    local,
    dryRun,
    resourceVersion: flags.string("resource-version"),
    fieldManager: flags.string("field-manager"),
    cause: readRecord(invocation),
    find: async () => {
      const { namespace, enforced } = await factory.namespace();
      const builder = (await factory.builder())
        .local(local)
        .namespaceParam(namespace)
        .defaultNamespace()
        .allNamespaces(flags.bool("all-namespaces"))
        .filenames(enforced, readFilenames(flags))
        .continueOnError()
        .flatten();
      if (local) return builder.do();
      return builder
        .typeOrNameArgs(flags.bool("all"), resources)
        .labelSelector(flags.string("selector"))
        .fieldSelector(flags.string("field-selector"))
        .latest()
        .do();
    },
    client: factory.restClient,
    print: (object) => printer.print(object, (text) => factory.streams.out.write(text)),
    streams: factory.streams,
  };
}

function validate(
  { flags }: Invocation,
  resources: readonly string[],
  changes: PairChanges,
  dryRun: DryRunStrategy,
): void {
  const all = flags.bool("all");
  if (all && flags.string("selector") !== "") throw new Error("cannot set --all and --selector at the same time");
  if (all && flags.string("field-selector") !== "") {
    throw new Error("cannot set --all and --field-selector at the same time");
  }
  const { filenames, kustomize = "" } = readFilenames(flags);
  const noFiles = filenames.length === 0 && kustomize === "";
  if (flags.bool("local")) requireLocalFiles(resources, noFiles, dryRun);
  else if (resources.length === 0 && noFiles) {
    throw new Error("one or more resources must be specified as <resource> <name> or <resource>/<name>");
  }
  if (changes.set.size === 0 && changes.remove.length === 0 && !flags.bool("list")) {
    throw new Error("at least one annotation update is required");
  }
  requireOneChangeEach(changes);
}

function requireLocalFiles(resources: readonly string[], noFiles: boolean, dryRun: DryRunStrategy): void {
  if (dryRun === "server") {
    throw new Error("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  }
  if (resources.length > 0) {
    throw new Error("can only use local files by -f rsrc.yaml or --filename=rsrc.json when --local=true is set");
  }
  if (noFiles) throw new Error("one or more files must be specified as -f rsrc.yaml or --filename=rsrc.json");
}

/** Annotates one after the other; goes on after a failure. */
export async function runAnnotate(options: AnnotateOptions): Promise<void> {
  const result = await options.find();
  if (!result.singleItemImplied && options.resourceVersion !== "") {
    throw new Error("--resource-version may only be used with a single resource");
  }
  await result.visit(async (info) => {
    const object = await annotate(info, options);
    if (options.list) list(info, object, result.singleItemImplied, options);
    else options.print(object);
  });
}

async function annotate(info: Info, options: AnnotateOptions): Promise<KubeObject> {
  const { changes, overwrite, resourceVersion } = options;
  const held = info.object ?? {};
  const change = (object: KubeObject): KubeObject =>
    withVersion(changeAnnotations(object, changes, overwrite), resourceVersion);
  if (options.dryRun === "client" || options.local || options.list) return change(held);
  const before = resourceVersion === "" ? held : withoutVersion(held);
  const after = change(withChangeCause(before, options.cause));
  const helper = new Helper(await options.client(), info.mapping, {
    dryRun: options.dryRun === "server",
    fieldManager: options.fieldManager,
  });
  const patch = sortedJson(createMergePatch(before as JsonObject, after as JsonObject));
  return helper.patch(info.namespace, info.name, "merge", new TextEncoder().encode(patch));
}

function list(info: Info, object: KubeObject, single: boolean, { streams }: AnnotateOptions): void {
  const { group, kind } = info.mapping.kind;
  if (!single) streams.out.write(`Listing annotations for ${kind}.${group}/${info.name}:\n`);
  const indent = single ? "" : " ";
  for (const [key, value] of Object.entries(object.metadata?.annotations ?? {})) {
    streams.out.write(`${indent}${key}=${value}\n`);
  }
}

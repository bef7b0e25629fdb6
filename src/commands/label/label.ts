import { withoutVersion, withVersion } from "../../actions/version-lock.js";
import { goQuote } from "../../base/go-quote.js";
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
import { splitResourcesAndPairs } from "../../cli/pairs.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { withChangeCause } from "../../kinds/change-cause.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { createMergePatch } from "../../machinery/patch/merge-patch.js";
import { printerFor } from "../../printers/formats.js";
import type { FilenameOptions, Result } from "../../resource/builder.js";
import { sortedJson } from "../../resource/encode-json.js";
import { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import { changeLabels, type LabelChanges, parseLabels } from "./change-labels.js";

export interface LabelOptions {
  readonly changes: LabelChanges;
  readonly overwrite: boolean;
  /** Shows the labels, as they would be, instead of changing them. */
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
  readonly print: (object: KubeObject, operation: string) => void;
  readonly streams: Streams;
}

export function labelCommand(run = runLabel): Command {
  return {
    use: "label [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
    description: `Set and remove labels of resources: KEY=VALUE sets one, KEY- removes it. Keys and values are letters, digits, hyphens,
dots and underscores, up to 63 of them; a key may begin with a DNS name and a slash, such as example.com/tier. A label
that has another value is only changed with --overwrite.`,
    examples: `# Label the pod "foo"
{{program}} label pods foo unhealthy=true

# Whatever its label "status" said before
{{program}} label --overwrite pods foo status=unhealthy

# All pods of the namespace
{{program}} label pods --all status=unhealthy

# The pod that pod.json names
{{program}} label -f pod.json status=unhealthy

# Only if nobody changed it since version 1
{{program}} label pods foo status=unhealthy --resource-version=1

# Take the label "bar" off
{{program}} label pods foo bar-`,
    flags: [
      recordFlag,
      ...printFlags,
      { name: "overwrite", type: "bool", usage: "Change labels that have another value, rather than refuse" },
      { name: "list", type: "bool", usage: "Show the labels" },
      localFlag,
      fieldSelectorFlag,
      allFlag,
      allNamespacesFlag,
      {
        name: "resource-version",
        type: "string",
        usage: "Change the resource only if it still has this version. For a single resource",
      },
      ...filenameFlags("File, directory or URL that names what to label"),
      dryRunFlag,
      fieldManagerFlag("kubectl-label"),
      selectorFlag,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeTypesAndNames,
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<LabelOptions> {
  const { flags } = invocation;
  const dryRun = readDryRun(flags, factory);
  const { resources, pairs } = splitResourcesAndPairs(invocation.args, "label");
  const changes = parseLabels(pairs);
  const list = flags.bool("list");
  if (list && flags.string("output") !== "") throw new Error("--list and --output may not be specified together");
  const { namespace, enforced } = await factory.namespace();
  const all = flags.bool("all");
  const local = flags.bool("local");
  const [selector, fieldSelector] = [flags.string("selector"), flags.string("field-selector")];
  const files = readFilenames(flags);
  validate({ all, selector, fieldSelector, local, dryRun, resources, files });
  if (changes.set.size === 0 && changes.remove.length === 0 && !list) {
    throw new Error("at least one label update is required");
  }
  return {
    changes,
    overwrite: flags.bool("overwrite"),
    list,
    local,
    dryRun,
    resourceVersion: flags.string("resource-version"),
    fieldManager: flags.string("field-manager"),
    cause: readRecord(invocation),
    find: async () => {
      const builder = (await factory.builder())
        .local(local)
        .continueOnError()
        .namespaceParam(namespace)
        .defaultNamespace()
        .filenames(enforced, files)
        .flatten();
      if (local) return builder.do();
      return builder
        .labelSelector(selector)
        .fieldSelector(fieldSelector)
        .allNamespaces(flags.bool("all-namespaces"))
        .typeOrNameArgs(all, resources)
        .latest()
        .do();
    },
    client: factory.restClient,
    print: (object, operation) =>
      printerFor(readPrintRequest(flags, factory), withDryRun(operation, dryRun)).print(object, (text) =>
        factory.streams.out.write(text),
      ),
    streams: factory.streams,
  };
}

interface Checked {
  readonly all: boolean;
  readonly selector: string;
  readonly fieldSelector: string;
  readonly local: boolean;
  readonly dryRun: DryRunStrategy;
  readonly resources: readonly string[];
  readonly files: FilenameOptions;
}

function validate({ all, selector, fieldSelector, local, dryRun, resources, files }: Checked): void {
  if (all && selector !== "") throw new Error("cannot set --all and --selector at the same time");
  if (all && fieldSelector !== "") throw new Error("cannot set --all and --field-selector at the same time");
  const noFiles = files.filenames.length === 0 && (files.kustomize ?? "") === "";
  if (!local) {
    if (resources.length > 0 || !noFiles) return;
    throw new Error("one or more resources must be specified as <resource> <name> or <resource>/<name>");
  }
  if (dryRun === "server") {
    throw new Error("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  }
  if (resources.length > 0) {
    throw new Error("can only use local files by -f pod.yaml or --filename=pod.json when --local=true is set");
  }
  if (noFiles) throw new Error("one or more files must be specified as -f pod.yaml or --filename=pod.json");
}

/** Labels one after the other; goes on after a failure. */
export async function runLabel(options: LabelOptions): Promise<void> {
  const result = await options.find();
  if (!result.singleItemImplied && options.resourceVersion !== "") {
    throw new Error("--resource-version may only be used with a single resource");
  }
  await result.visit(async (info) => {
    const { object, operation } = await label(info, options);
    if (options.list) list(info, object, result.singleItemImplied, options);
    else options.print(object, operation);
  });
}

async function label(
  info: Info,
  options: LabelOptions,
): Promise<{ readonly object: KubeObject; readonly operation: string }> {
  const { changes, overwrite, resourceVersion, streams } = options;
  const before = resourceVersion === "" ? (info.object ?? {}) : withoutVersion(info.object ?? {});
  const stays = options.dryRun === "client" || options.local || options.list;
  if (!stays) {
    for (const key of changes.remove.filter((name) => !Object.hasOwn(before.metadata?.labels ?? {}, name))) {
      streams.out.write(`label ${goQuote(key)} not found.\n`);
    }
  }
  const changed = changeLabels(before, changes, overwrite);
  const object = withVersion(changed.object, resourceVersion);
  if (stays) return { object, operation: changed.operation };
  const recorded = withChangeCause(object, options.cause);
  if (changed.operation !== "not labeled") {
    const helper = new Helper(await options.client(), info.mapping, {
      dryRun: options.dryRun === "server",
      fieldManager: options.fieldManager,
    });
    const patch = sortedJson(createMergePatch(before as JsonObject, recorded as JsonObject));
    await helper.patch(info.namespace, info.name, "merge", new TextEncoder().encode(patch));
  }
  return { object: recorded, operation: changed.operation };
}

function list(info: Info, object: KubeObject, single: boolean, { streams }: LabelOptions): void {
  const { group, kind } = info.mapping.kind;
  if (!single) streams.out.write(`Listing labels for ${kind}.${group}/${info.name}:\n`);
  const indent = single ? "" : " ";
  for (const [key, value] of Object.entries(object.metadata?.labels ?? {})) {
    streams.out.write(`${indent}${key}=${value}\n`);
  }
}

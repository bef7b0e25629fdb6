import type { RestClient } from "../client/rest/rest-client.js";
import type { JsonObject } from "../machinery/meta/json.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { createMergePatch } from "../machinery/patch/merge-patch.js";
import type { Result } from "../resource/builder.js";
import { sortedJson } from "../resource/encode-json.js";
import { Helper } from "../resource/helper.js";
import type { Info } from "../resource/info.js";
import type { Invocation } from "./command.js";
import type { Factory, Streams } from "./connect/factory.js";
import type { FlagSpec } from "../component/flags/flag-set.js";
import { printFlags } from "./flags/print-flags.js";
import { readRecord, recordFlag } from "./flags/change-flags.js";
import {
  type DryRunStrategy,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  readFilenames,
  selectorFlag,
} from "./flags/resource-flags.js";
import { allFlag, allNamespacesFlag, fieldSelectorFlag, localFlag } from "./flags/selection-flags.js";

// What label and annotate share: they change a map in the metadata of the objects that flags and operands name.

export type MetadataMap = "labels" | "annotations";

/** The options of such a command, except for what it changes and how it prints. */
export interface MetadataChangeOptions {
  /** Whether an entry may replace another value. If not, the change is refused. */
  readonly overwrite: boolean;
  /** Shows the entries, as they would be, instead of changing them. */
  readonly list: boolean;
  readonly local: boolean;
  readonly dryRun: DryRunStrategy;
  /** "": whatever the object's version is. */
  readonly resourceVersion: string;
  readonly fieldManager: string;
  /** The change cause of --record. */
  readonly cause: string | undefined;
  readonly find: () => Promise<Result>;
  readonly client: () => Promise<RestClient>;
  readonly streams: Streams;
}

/** The flags of such a command; `command` is "label" or "annotate". */
export const metadataFlags = (
  command: string,
  map: MetadataMap,
  files = filenameFlags(`File, directory or URL that names what to ${command}`),
): readonly FlagSpec[] => [
  recordFlag,
  ...printFlags,
  { name: "overwrite", type: "bool", usage: `Change ${map} that have another value, rather than refuse` },
  { name: "list", type: "bool", usage: `Show the ${map}` },
  localFlag,
  fieldSelectorFlag,
  allFlag,
  allNamespacesFlag,
  {
    name: "resource-version",
    type: "string",
    usage: "Change the resource only if it still has this version. For a single resource",
  },
  ...files,
  dryRunFlag,
  fieldManagerFlag(`kubectl-${command}`),
  selectorFlag,
];

/** The operands and options that a command reads before the other flags. */
export interface Targets {
  /** The operands before the first change. */
  readonly resources: readonly string[];
  readonly dryRun: DryRunStrategy;
}

/** The namespace of the command, or the error of finding it. */
export interface Place {
  readonly namespace: string;
  readonly enforced: boolean;
  /** The search for the objects ends with it, after its own faults. */
  readonly fault?: Error;
}

export function readMetadataChange(
  factory: Factory,
  invocation: Invocation,
  { resources, dryRun }: Targets,
  { namespace, enforced, fault }: Place,
): MetadataChangeOptions {
  const { flags } = invocation;
  const local = flags.bool("local");
  const files = readFilenames(flags);
  return {
    overwrite: flags.bool("overwrite"),
    list: flags.bool("list"),
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
      if (!local) {
        builder
          .labelSelector(flags.string("selector"))
          .fieldSelector(flags.string("field-selector"))
          .allNamespaces(flags.bool("all-namespaces"))
          .typeOrNameArgs(flags.bool("all"), resources)
          .latest();
      }
      if (fault !== undefined) builder.addError(fault);
      return builder.do();
    },
    client: factory.restClient,
    streams: factory.streams,
  };
}

/** Throws for flags and operands that select no object, or contradict each other. `example` is the file name in the advice. */
export function requireTargets({ flags }: Invocation, { resources, dryRun }: Targets, example: string): void {
  const all = flags.bool("all");
  if (all && flags.string("selector") !== "") throw new Error("cannot set --all and --selector at the same time");
  if (all && flags.string("field-selector") !== "") {
    throw new Error("cannot set --all and --field-selector at the same time");
  }
  const { filenames, kustomize = "" } = readFilenames(flags);
  const noFiles = filenames.length === 0 && kustomize === "";
  if (!flags.bool("local")) {
    if (resources.length > 0 || !noFiles) return;
    throw new Error("one or more resources must be specified as <resource> <name> or <resource>/<name>");
  }
  if (dryRun === "server") {
    throw new Error("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  }
  const asFiles = `-f ${example}.yaml or --filename=${example}.json`;
  if (resources.length > 0) throw new Error(`can only use local files by ${asFiles} when --local=true is set`);
  if (noFiles) throw new Error(`one or more files must be specified as ${asFiles}`);
}

/** Changes one object after the other, or shows its entries; continues after a failure. */
export async function changeEach<Changed extends { readonly object: KubeObject }>(
  options: MetadataChangeOptions & { readonly print: (changed: Changed) => void },
  map: MetadataMap,
  change: (info: Info) => Promise<Changed>,
): Promise<void> {
  const result = await options.find();
  const single = result.singleItemImplied;
  if (!single && options.resourceVersion !== "") {
    throw new Error("--resource-version may only be used with a single resource");
  }
  await result.visit(async (info) => {
    const changed = await change(info);
    if (options.list) listEntries(info, changed.object.metadata?.[map], { map, single, streams: options.streams });
    else options.print(changed);
  });
}

/** Whether the command sends nothing to the server. */
export const staysHere = ({ dryRun, local, list }: MetadataChangeOptions): boolean =>
  dryRun === "client" || local || list;

/** Sends the patch from `before` to `after`; returns the object that the server answers. */
export async function sendChange(
  { namespace, name, mapping }: Info,
  before: KubeObject,
  after: KubeObject,
  { client, dryRun, fieldManager }: MetadataChangeOptions,
): Promise<KubeObject> {
  const helper = new Helper(await client(), mapping, { dryRun: dryRun === "server", fieldManager });
  const patch = sortedJson(createMergePatch(before as JsonObject, after as JsonObject));
  return helper.patch(namespace, name, "merge", new TextEncoder().encode(patch));
}

interface Listing {
  readonly map: MetadataMap;
  /** A single object needs no heading. */
  readonly single: boolean;
  readonly streams: Streams;
}

function listEntries(
  { mapping, name }: Info,
  entries: Readonly<Record<string, string>> = {},
  { map, single, streams }: Listing,
): void {
  const { group, kind } = mapping.kind;
  if (!single) streams.out.write(`Listing ${map} for ${kind}.${group}/${name}:\n`);
  const indent = single ? "" : " ";
  for (const [key, value] of Object.entries(entries)) streams.out.write(`${indent}${key}=${value}\n`);
}

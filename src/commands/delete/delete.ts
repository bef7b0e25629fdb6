import { deleteObject } from "../../actions/delete-object.js";
import type { DeletedInfo } from "../../actions/wait/wait-until-gone.js";
import { waitForDeletion } from "../../cli/wait-for-deletion.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeTypesAndNames } from "../../cli/completion/resource-completers.js";
import { cascadeFlag, type PropagationPolicy, readCascade } from "../../cli/flags/change-flags.js";
import {
  dryRunFlag,
  filenameFlags,
  selectorFlag,
  withDryRun,
  type DryRunStrategy,
  readDryRun,
  readFilenames,
} from "../../cli/flags/resource-flags.js";
import { rawRequest, requireRequestUri } from "../../cli/raw-request.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { deletionLine, qualifiedKind } from "../../printers/deletion-line.js";
import { type DeleteOptions, Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import type { Streams, Factory } from "../../cli/connect/factory.js";
import { firstLine } from "../../cli/first-line.js";
import { hintAtNamespace } from "../../cli/advice/hints.js";
import { klogLine } from "../../machinery/text/klog/klog.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { FilenameOptions, Result } from "../../resource/builder.js";
import { warnTo } from "../../cli/warn.js";

export function deleteCommand(run = runDelete): Command {
  return {
    use: "delete ([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])",
    description: `Delete resources: those that files or stdin name, those given by type and name, or those of a type that a selector matches.

What is deleted may take its time to end; --grace-period, --now and --force shorten it. The command returns when
everything is gone, or at once with --wait=false. Changes that others make in the meantime are lost with the resource.`,
    examples: `# Delete the pod that pod.json names
{{program}} delete -f ./pod.json

# Delete pods and services called "baz" and "foo"
{{program}} delete pod,service baz foo

# Delete pods and services with the label name=myLabel
{{program}} delete pods,services -l name=myLabel

# Delete a pod with next to no delay
{{program}} delete pod foo --now

# Delete all pods of the namespace, after a question
{{program}} delete pods --all --interactive`,
    flags: [
      ...filenameFlags("File, directory or URL that names what to delete"),
      selectorFlag,
      {
        name: "field-selector",
        type: "string",
        usage: "Field selector: '=', '==' and '!='. The server knows a few fields of each type",
      },
      { name: "all", type: "bool", usage: "Everything of the given types in the namespace" },
      { name: "all-namespaces", short: "A", type: "bool", usage: "In all namespaces, whatever -n says" },
      { name: "force", type: "bool", usage: "Take it out of the API at once, without waiting for it to end" },
      cascadeFlag,
      { name: "now", type: "bool", usage: "The same as --grace-period=1" },
      {
        name: "grace-period",
        type: "int",
        default: "-1",
        usage: "Seconds given to end. Negative leaves it to the resource; 0 needs --force",
      },
      { name: "timeout", type: "duration", default: "0s", usage: "How long to wait until it is gone; zero is a week" },
      {
        name: "ignore-not-found",
        type: "bool",
        usage: "Count what is not there as deleted. The default with --all and with selectors",
      },
      { name: "wait", type: "bool", default: "true", usage: "Return when everything is gone, finalizers included" },
      { name: "output", short: "o", type: "string", usage: "Output mode. '-o name' prints type/name" },
      { name: "raw", type: "string", usage: "URI to DELETE as it is" },
      { name: "interactive", short: "i", type: "bool", usage: "Ask before anything is deleted" },
      dryRunFlag,
    ],
    execute: async (factory, invocation) => {
      const { raw, ...options } = await complete(factory, invocation);
      if (raw !== undefined) await rawRequest("DELETE", raw.uri, raw.filename, factory);
      else await run(options);
    },
    completeArgs: completeTypesAndNames,
  };
}

/**
 * Deletes the objects one after the other, and continues after a failure; then waits until all are gone, if `wait` is given and
 * it is no dry run.
 */
export async function runDelete(options: DeleteCommandOptions): Promise<void> {
  const { streams } = options;
  const agreed = options.interactive ? await confirmAll(options) : undefined;
  if (options.interactive && agreed === undefined) return;

  const result = await options.find();
  if (options.ignoreNotFound) result.ignoreErrors(isNotFound);
  const deleted: DeletedInfo[] = [];
  let warnClusterScope = options.warnClusterScope;
  await result.visit(async (info) => {
    if (agreed !== undefined && !agreed.has(place(info))) return;
    const entry: { info: Info; uid?: string | undefined } = { info };
    deleted.push(entry);
    if (warnClusterScope && !info.mapping.namespaced) {
      options.warn("deleting cluster-scoped resources, not scoped to the provided namespace");
      warnClusterScope = false;
    }
    if (options.dryRun !== "client") {
      const helper = new Helper(await options.client(), info.mapping, { dryRun: options.dryRun === "server" });
      entry.uid = await deleteObject(info, helper, deletion(options));
    }
    streams.out.write(outcomeLine(info, options));
  });
  if (deleted.length === 0) {
    streams.out.write("No resources found\n");
    await options.hintAtNamespace();
    return;
  }
  if (!options.wait || options.dryRun !== "none") return;
  await waitForDeletion(deleted, { ...options, client: await options.client() });
}

function deletion({ gracePeriod, propagationPolicy }: DeleteCommandOptions): DeleteOptions {
  return { propagationPolicy, ...(gracePeriod >= 0 && { gracePeriodSeconds: gracePeriod }) };
}

function outcomeLine(
  { mapping, namespace, name }: Info,
  { output, gracePeriod, dryRun }: DeleteCommandOptions,
): string {
  const deleted = { kind: mapping.kind, name, namespace: mapping.namespaced ? namespace : undefined };
  return deletionLine(deleted, output, gracePeriod === 0, withDryRun("", dryRun));
}

const place = ({ mapping: { resource }, namespace, name }: Info): string =>
  JSON.stringify([resource.group, resource.resource, namespace, name]);

/** What the user agreed to; undefined when that is nothing. */
async function confirmAll(options: DeleteCommandOptions): Promise<ReadonlySet<string> | undefined> {
  const preview = await options.find();
  if (options.ignoreNotFound) preview.ignoreErrors(isNotFound);
  const infos: Info[] = [];
  await preview.visit(async (info) => void infos.push(info));
  if (infos.length === 0) {
    options.streams.out.write("No resources found\n");
    await options.hintAtNamespace();
    return undefined;
  }
  const names = infos.map((info) => `${qualifiedKind(info.mapping.kind)}/${info.name}`);
  if (await confirm(names, options.streams)) return new Set(infos.map(place));
  options.streams.out.write("deletion is cancelled\n");
  return undefined;
}

/** Lists the objects that will be deleted and asks; only "y" agrees. */
export async function confirm(names: readonly string[], { in: input, out }: Streams): Promise<boolean> {
  out.write(`You are about to delete the following ${names.length} resource(s):\n`);
  for (const name of names) out.write(`${name}\n`);
  out.write("Do you want to continue? (y/N): ");
  return (await firstLine(input)).trim().toLowerCase() === "y";
}

export interface DeleteCommandOptions {
  readonly client: () => Promise<RestClient>;
  /** Finds what is to be deleted, each time anew. */
  readonly find: () => Promise<Result>;
  readonly streams: Streams;
  /** Called after "No resources found" in one namespace. */
  readonly hintAtNamespace: () => Promise<void>;
  readonly dryRun: DryRunStrategy;
  /** "name" prints type/name only. */
  readonly output: string;
  /** Negative: the object's own. */
  readonly gracePeriod: number;
  readonly propagationPolicy: PropagationPolicy;
  readonly ignoreNotFound: boolean;
  readonly interactive: boolean;
  readonly wait: boolean;
  /** Milliseconds; 0: as good as for ever. */
  readonly timeout: number;
  /** -n was given, which says nothing of what has no namespace. */
  readonly warnClusterScope: boolean;
  readonly warn: (message: string) => void;
  /** An error that changes nothing, as klog writes it: where in kubectl, and what. */
  readonly complain: (source: string, message: string) => void;
  readonly signal: AbortSignal;
  readonly handleSignals: () => void;
}

export interface Raw {
  readonly uri: string;
  readonly filename: string | undefined;
}

export async function complete(
  factory: Factory,
  invocation: Invocation,
): Promise<DeleteCommandOptions & { readonly raw?: Raw }> {
  const { args, flags, signal, handleSignals } = invocation;
  const { streams } = factory;
  const propagationPolicy = readCascade(flags, (text) => streams.err.write(text));
  const { namespace, enforced } = await factory.namespace();
  const all = flags.bool("all");
  const allNamespaces = flags.bool("all-namespaces");
  const selector = flags.string("selector");
  const fieldSelector = flags.string("field-selector");
  const broad = all || selector !== "" || fieldSelector !== "";
  const force = flags.bool("force");
  const gracePeriod = readGracePeriod(flags.number("grace-period"), flags.bool("now"), force);
  const dryRun = readDryRun(flags, factory);
  const files = readFilenames(flags);
  const uri = flags.string("raw");
  const interactive = flags.bool("interactive");
  const output = flags.string("output");

  const find = async (): Promise<Result> => {
    const builder = await factory.builder();
    return builder
      .continueOnError()
      .namespaceParam(namespace)
      .defaultNamespace()
      .filenames(enforced, files)
      .labelSelector(selector)
      .fieldSelector(fieldSelector)
      .selectAll(all)
      .allNamespaces(allNamespaces)
      .typeOrNameArgs(false, args)
      .requireObject(false)
      .flatten()
      .do();
  };
  const found = uri === "" ? await find() : undefined;
  await factory.clientConfig();
  const warn = warnTo(streams, factory.colours);
  validate({ output, all, selector, fieldSelector, gracePeriod, force }, warn);
  if (uri !== "") validateRaw(uri, files, output, interactive);

  let first = found;
  return {
    client: factory.restClient,
    // The one found first is used up by its first walk.
    find: async () => {
      const result = first ?? (await find());
      first = undefined;
      return result;
    },
    streams,
    hintAtNamespace: async () => {
      if (!allNamespaces) await hintAtNamespace(factory, signal);
    },
    dryRun,
    output,
    gracePeriod,
    propagationPolicy,
    ignoreNotFound: broad && !flags.changed("ignore-not-found") ? true : flags.bool("ignore-not-found"),
    interactive,
    wait: flags.bool("wait"),
    timeout: flags.duration("timeout"),
    warnClusterScope: enforced && !allNamespaces,
    warn,
    complain: (source, message) =>
      void streams.err.write(klogLine("E", source, message, new Date(factory.clock.now()))),
    signal,
    handleSignals,
    ...(uri !== "" && { raw: { uri, filename: files.filenames[0] } }),
  };
}

/** Zero is taken for an accident, one second, unless --force stands by it. */
function readGracePeriod(given: number, now: boolean, force: boolean): number {
  if (now && given !== -1) throw new Error("--now and --grace-period cannot be specified together");
  const period = now ? 1 : given;
  if (period === 0 && !force) return 1;
  return force && period < 0 ? 0 : period;
}

interface Checked {
  readonly output: string;
  readonly all: boolean;
  readonly selector: string;
  readonly fieldSelector: string;
  readonly gracePeriod: number;
  readonly force: boolean;
}

function validate(options: Checked, warn: (message: string) => void): void {
  const { output, all, selector, fieldSelector, gracePeriod, force } = options;
  if (output !== "" && output !== "name") {
    throw new Error(`unexpected -o output mode: ${output}. We only support '-o name'`);
  }
  if (all && selector !== "") throw new Error("cannot set --all and --selector at the same time");
  if (all && fieldSelector !== "") throw new Error("cannot set --all and --field-selector at the same time");
  if (!force) return;
  if (gracePeriod > 0) throw new Error("--force and --grace-period greater than 0 cannot be specified together");
  warn(
    "Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.",
  );
}

function validateRaw(uri: string, files: FilenameOptions, output: string, interactive: boolean): void {
  const { filenames, recursive } = files;
  if (interactive) throw new Error("--interactive can not be used with --raw");
  if (filenames.length > 1) throw new Error("--raw can only use a single local file or stdin");
  if (/^https?:\/\//.test(filenames[0] ?? "")) throw new Error("--raw cannot read from a url");
  if (recursive) throw new Error("--raw and --recursive are mutually exclusive");
  if (output !== "") throw new Error("--raw and --output are mutually exclusive");
  requireRequestUri(uri);
}

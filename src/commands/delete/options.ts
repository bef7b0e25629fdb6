import type { Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { type PropagationPolicy, readCascade } from "../../cli/flags/change-flags.js";
import { type DryRunStrategy, readDryRun, readFilenames } from "../../cli/flags/resource-flags.js";
import { hintAtNamespace } from "../../cli/advice/hints.js";
import { klogLine } from "../../client/klog.js";
import { requireRequestUri } from "../../cli/raw-request.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { FilenameOptions, Result } from "../../resource/builder.js";
import { warnTo } from "../../cli/warn.js";

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

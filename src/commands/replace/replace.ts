import { findManifests } from "../../actions/find-manifests.js";
import { recordConfiguration } from "../../actions/apply/last-applied.js";
import { withSource } from "../../actions/source-error.js";
import type { Command, Invocation } from "../../cli/command.js";
import { offerWords } from "../../cli/completion/resource-completers.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { cascadeFlag, type PropagationPolicy, readCascade } from "../../cli/flags/change-flags.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import {
  type DryRunStrategy,
  dryRunFlag,
  fieldManagerFlag,
  type FieldValidation,
  filenameFlags,
  readDryRun,
  readFieldValidation,
  readFilenames,
  requireFilenames,
  validateFlag,
  warnCannotValidate,
  withDryRun,
} from "../../cli/flags/resource-flags.js";
import { SUBRESOURCES, subresourceFlag } from "../../cli/flags/selection-flags.js";
import { rawRequest, requireRequestUri } from "../../cli/raw-request.js";
import { klogLine } from "../../machinery/text/klog/klog.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import type { FilenameOptions, Result } from "../../resource/builder.js";
import { Helper } from "../../resource/helper.js";
import { refresh } from "../../resource/info.js";

/** The options of deleting the old object, with --force. */
export interface Deletion {
  readonly propagationPolicy: PropagationPolicy;
  /** Seconds; below 0 the object's own. */
  readonly gracePeriod: number;
  readonly wait: boolean;
  /** Milliseconds; 0: as long as it takes. */
  readonly timeout: number;
  /** -o: "name" prints type/name only. */
  readonly output: string;
  readonly complain: (source: string, message: string) => void;
  readonly signal: AbortSignal;
  readonly handleSignals: () => void;
}

export interface ReplaceOptions {
  readonly dryRun: DryRunStrategy;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly subresource: string;
  /** Records the configuration for a later apply, also where none is recorded. */
  readonly saveConfig: boolean;
  /** Undefined: the object is changed in place. */
  readonly force: Deletion | undefined;
  readonly files: FilenameOptions;
  /** The manifests of these files, validated. */
  readonly find: (files: FilenameOptions) => Promise<Result>;
  /** What these files and the operands name; nothing is validated or fetched. */
  readonly findOld: (files: FilenameOptions) => Promise<Result>;
  readonly client: () => Promise<RestClient>;
  readonly print: (object: KubeObject) => void;
  readonly streams: Streams;
  /** Puts stdin where it can be read twice; `done` takes it away again. */
  readonly keepStdin: () => Promise<{ readonly path: string; readonly done: () => Promise<void> }>;
}

export function replaceCommand(run = runReplace): Command {
  return {
    use: "replace -f FILENAME",
    description: `Replace resources by what files, directories, URLs or stdin say, in JSON or YAML. The whole resource must be given: what
the file does not say is gone afterwards. "{{program}} get TYPE NAME -o yaml" shows a whole resource.

With --force the resource is deleted and created again, which also changes fields that cannot be changed otherwise.`,
    examples: `# Replace the pod that pod.json describes
{{program}} replace -f ./pod.json

# What arrives on stdin
cat pod.json | {{program}} replace -f -

# Another image for a pod with one container
{{program}} get pod mypod -o yaml | sed 's/\\(image: myimage\\):.*$/\\1:v4/' | {{program}} replace -f -

# Delete it and create it again
{{program}} replace --force -f ./pod.json`,
    flags: [
      ...printFlags,
      ...filenameFlags("The files that contain the configurations to replace"),
      { name: "force", type: "bool", usage: "Delete the resource and create it again" },
      cascadeFlag,
      {
        name: "grace-period",
        type: "int",
        default: "-1",
        usage: "With --force: seconds given to the old object to end. Negative leaves it to the object",
      },
      {
        name: "timeout",
        type: "duration",
        default: "0s",
        usage: "With --force: how long the old object may take to go",
      },
      { name: "wait", type: "bool", usage: "With --force: wait until the old objects are gone, finalizers included" },
      validateFlag,
      { name: "save-config", type: "bool", usage: "Record the configuration in an annotation, for a later apply" },
      dryRunFlag,
      { name: "raw", type: "string", usage: "URI to PUT the file to as it is" },
      fieldManagerFlag("kubectl-replace"),
      subresourceFlag,
    ],
    execute: async (factory, invocation) => {
      const { raw, ...options } = complete(factory, invocation);
      if (raw === "") await run(options);
      else await rawRequest("PUT", raw, options.files.filenames[0], factory);
    },
    completeFlags: { subresource: offerWords(SUBRESOURCES) },
  };
}

function complete(factory: Factory, invocation: Invocation): ReplaceOptions & { readonly raw: string } {
  const { args, flags, signal, handleSignals } = invocation;
  const { streams } = factory;
  const fieldValidation = readFieldValidation(flags);
  const dryRun = readDryRun(flags, factory);
  const printer = printerFor(readPrintRequest(flags, factory), withDryRun("replaced", dryRun));
  const propagationPolicy = readCascade(flags, (text) => streams.err.write(text));
  const files = readFilenames(flags);
  requireFilenames(files);
  const output = flags.string("output");
  const raw = flags.string("raw");
  const gracePeriod = flags.number("grace-period");
  const timeout = flags.duration("timeout");
  const force = flags.bool("force");
  validate({ force, gracePeriod, timeout, dryRun });
  if (raw !== "") validateRaw(raw, files, output);
  const subresource = flags.string("subresource");
  return {
    raw,
    dryRun,
    fieldManager: flags.string("field-manager"),
    fieldValidation,
    subresource,
    saveConfig: flags.bool("save-config"),
    force: force
      ? {
          propagationPolicy,
          // No time at all is taken for an accident.
          gracePeriod: gracePeriod === 0 ? 1 : gracePeriod,
          wait: flags.bool("wait") || gracePeriod === 0,
          timeout,
          output,
          complain: (source, message) =>
            void streams.err.write(klogLine("E", source, message, new Date(factory.clock.now()))),
          signal,
          handleSignals,
        }
      : undefined,
    files,
    find: async (from) => {
      await factory.clientConfig();
      return findManifests(factory, {
        files: from,
        selector: "",
        fieldValidation,
        cannotWarn: () => warnCannotValidate(factory),
      });
    },
    findOld: async (from) => {
      const { namespace, enforced } = await factory.namespace();
      const builder = await factory.builder();
      return builder
        .continueOnError()
        .namespaceParam(namespace)
        .defaultNamespace()
        .typeOrNameArgs(false, args)
        .requireObject(false)
        .filenames(enforced, from)
        .subresource(subresource)
        .flatten()
        .do();
    },
    client: factory.restClient,
    print: (object) => printer.print(object, (text) => streams.out.write(text)),
    streams,
    keepStdin: async () => {
      const { keepStdin } = await import("./forced.js");
      return keepStdin(factory);
    },
  };
}

interface Checked {
  readonly force: boolean;
  readonly gracePeriod: number;
  readonly timeout: number;
  readonly dryRun: DryRunStrategy;
}

function validate({ force, gracePeriod, timeout, dryRun }: Checked): void {
  if (gracePeriod >= 0 && !force) throw new Error("--grace-period must have --force specified");
  if (timeout !== 0 && !force) throw new Error("--timeout must have --force specified");
  if (force && dryRun !== "none") throw new Error("--dry-run can not be used when --force is set");
}

function validateRaw(uri: string, { filenames, recursive }: FilenameOptions, output: string): void {
  const [filename = ""] = filenames;
  if (filenames.length !== 1) throw new Error("--raw can only use a single local file or stdin");
  if (/^https?:\/\//.test(filename)) throw new Error("--raw cannot read from a url");
  if (recursive) throw new Error("--raw and --recursive are mutually exclusive");
  if (output !== "") throw new Error("--raw and --output are mutually exclusive");
  requireRequestUri(uri);
}

/** Replaces the objects one after the other, and continues after a failure. */
export async function runReplace(options: ReplaceOptions): Promise<void> {
  if (options.force !== undefined) {
    const { forceReplace } = await import("./forced.js");
    return forceReplace(options, options.force);
  }
  const { dryRun, fieldManager, fieldValidation, subresource } = options;
  const result = await options.find(options.files);
  await result.visit(async (info) => {
    const object = recordConfiguration(info.object ?? {}, options.saveConfig);
    if (dryRun === "client") return options.print(object);
    const helper = new Helper(await options.client(), info.mapping, {
      dryRun: dryRun === "server",
      fieldManager,
      fieldValidation,
      subresource,
    });
    const replaced = await helper.replace(info.namespace, info.name, true, object).catch((error: unknown) => {
      throw withSource("replacing", info.source, error);
    });
    refresh(info, replaced);
    options.print(replaced);
  });
}

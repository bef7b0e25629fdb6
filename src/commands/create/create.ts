import { createObject } from "../../actions/create-object.js";
import { findManifests } from "../../actions/find-manifests.js";
import { recordConfiguration } from "../../actions/apply/last-applied.js";
import type { Command, Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { readRecord, recordFlag } from "../../cli/flags/change-flags.js";
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
  saveConfigFlag,
  selectorFlag,
  validateFlag,
  warnCannotValidate,
  withDryRun,
} from "../../cli/flags/resource-flags.js";
import { rawRequest, requireRequestUri } from "../../cli/raw-request.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { withChangeCause } from "../../polymorphic-helpers/change-cause.js";
import { printerFor } from "../../printers/formats.js";
import type { FilenameOptions, Result } from "../../resource/builder.js";
import { Helper } from "../../resource/helper.js";
import type { KubeObject } from "../../machinery/meta/object.js";

export interface CreateOptions {
  readonly dryRun: DryRunStrategy;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Records what is created for a later apply. */
  readonly saveConfig: boolean;
  /** Noted in what is created. */
  readonly cause: string | undefined;
  readonly print: (object: KubeObject) => void;
  readonly client: () => Promise<RestClient>;
  /** What is to be created. */
  readonly find: () => Promise<Result>;
}

export function createCommand(run = runCreate): Command {
  return {
    use: "create -f FILENAME",
    description: "Create what files, directories, URLs or stdin describe, in YAML or JSON.",
    examples: `# Create the pod that pod.json describes
{{program}} create -f ./pod.json

# Create what arrives on stdin
cat pod.json | {{program}} create -f -`,
    flags: [
      recordFlag,
      ...filenameFlags("File, directory or URL with what to create"),
      validateFlag,
      { name: "edit", type: "bool", usage: "Open an editor on what is to be created" },
      {
        name: "windows-line-endings",
        type: "bool",
        usage: "Accepted for scripts written for kubectl; has no effect here",
      },
      saveConfigFlag,
      dryRunFlag,
      selectorFlag,
      { name: "raw", type: "string", usage: "URI to POST the file to as it is" },
      fieldManagerFlag("kubectl-create"),
      ...printFlags,
    ],
    execute: async (factory, invocation) => {
      if (invocation.flags.bool("edit")) return await editAndCreate(factory, invocation);
      const { raw, ...options } = await complete(factory, invocation);
      if (raw !== undefined) await rawRequest("POST", raw.uri, raw.filename, factory);
      else await run(options);
    },
  };
}

async function editAndCreate(factory: Factory, invocation: Invocation): Promise<void> {
  const { args, flags } = invocation;
  if (args.length > 0) throw usageError(invocation, `Unexpected args: [${args.join(" ")}]`);
  readDryRun(flags, factory);
  readFieldValidation(flags);
  // The search for objects says what is missing, before other flags are looked at.
  const { completeEdited, runCreateEdited } = await import("./create-edited.js");
  const options = await completeEdited(factory, invocation);
  printerFor(readPrintRequest(flags, factory));
  if (flags.string("raw") !== "") throw new Error("--raw and --edit are mutually exclusive");
  await runCreateEdited(options);
}

interface Raw {
  readonly uri: string;
  readonly filename: string | undefined;
}

async function complete(factory: Factory, invocation: Invocation): Promise<CreateOptions & { readonly raw?: Raw }> {
  const { args, flags } = invocation;
  if (args.length > 0) throw usageError(invocation, `Unexpected args: [${args.join(" ")}]`);
  const dryRun = readDryRun(flags, factory);
  const fieldValidation = readFieldValidation(flags);
  const printer = printerFor(readPrintRequest(flags, factory), withDryRun("created", dryRun));
  const files = readFilenames(flags);
  requireFilenames(files);
  const uri = flags.string("raw");
  if (uri !== "") validateRaw(uri, files, flags.string("selector"), flags.string("output"));
  const selector = flags.string("selector");
  return {
    dryRun,
    fieldManager: flags.string("field-manager"),
    fieldValidation,
    saveConfig: flags.bool("save-config"),
    cause: readRecord(invocation),
    print: (object) => printer.print(object, (text) => factory.streams.out.write(text)),
    client: factory.restClient,
    find: () =>
      findManifests(factory, { files, selector, fieldValidation, cannotWarn: () => warnCannotValidate(factory) }),
    ...(uri !== "" && { raw: { uri, filename: files.filenames[0] } }),
  };
}

function validateRaw(uri: string, files: FilenameOptions, selector: string, output: string): void {
  const [filename = ""] = files.filenames;
  if (files.filenames.length !== 1) throw new Error("--raw can only use a single local file or stdin");
  if (/^https?:\/\//.test(filename)) throw new Error("--raw cannot read from a url");
  if (files.recursive) throw new Error("--raw and --recursive are mutually exclusive");
  if (selector !== "") throw new Error("--raw and --selector (-l) are mutually exclusive");
  if (output !== "") throw new Error("--raw and --output are mutually exclusive");
  requireRequestUri(uri);
}

/** Creates the objects one after the other, each as soon as it is read, and continues after a failure. */
export async function runCreate(options: CreateOptions): Promise<void> {
  const { dryRun, fieldManager, fieldValidation } = options;
  let count = 0;
  const result = await options.find();
  await result.visit(async (info) => {
    const recorded = recordConfiguration(info.object ?? {}, options.saveConfig);
    const object = withChangeCause(recorded, options.cause);
    const helper = new Helper(await options.client(), info.mapping, {
      dryRun: dryRun === "server",
      fieldManager,
      fieldValidation,
    });
    await createObject(info, object, helper, dryRun !== "client");
    count++;
    options.print(info.object ?? object);
  });
  if (count === 0) throw new Error("no objects passed to create");
}

import { patchEdited, type PatchEditedEvent } from "../../actions/edit/patch-edited.js";
import { withLastApplied } from "../../actions/apply/last-applied.js";
import { documentValidation } from "../../actions/validate-document.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeTypesAndNames, completeWords } from "../../cli/completion/resource-completers.js";
import {
  editInEditor,
  type EditOptions,
  OBJECT_HEADER,
  failureLine,
  editedReader,
  editFormat,
  readWindowsLineEndings,
  windowsLineEndingsFlag,
} from "../../cli/editing/edit-in-editor.js";
import type { Factory } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { readRecord, recordFlag } from "../../cli/flags/change-flags.js";
import {
  fieldManagerFlag,
  filenameFlags,
  readFieldValidation,
  readFilenames,
  saveConfigFlag,
  validateFlag,
  warnCannotValidate,
} from "../../cli/flags/resource-flags.js";
import { SUBRESOURCES, subresourceFlag } from "../../cli/flags/selection-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { withChangeCause } from "../../polymorphic-helpers/change-cause.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import type { HelperOptions } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";

export interface EditCommandOptions {
  readonly infos: () => Promise<readonly Info[]>;
  readonly editing: Omit<EditOptions, "save">;
  readonly client: () => Promise<RestClient>;
  readonly request: HelperOptions;
  /** What is recorded in the objects before they are sent. */
  readonly annotate: (object: KubeObject) => KubeObject;
  /** Told of each patch that is sent. */
  readonly showPatch: (patch: string) => void;
  readonly print: (operation: "edited" | "skipped", object: KubeObject) => void;
  readonly warn: (text: string) => void;
}

export function editCommand(run = runEdit): Command {
  return {
    use: "edit (RESOURCE/NAME | -f FILENAME)",
    description: `Edit resources in your editor: the one KUBE_EDITOR or EDITOR names, else vi (notepad on Windows). Several are edited in one
file and sent one after the other. What the server does not take opens in the editor again, with the reasons as comments.

A name with spaces is split into words; one with quotes is run by the shell in SHELL. When what was edited cannot be sent, it
is kept in a temporary file and the command says where.`,
    examples: `# Edit the service "registry"
{{program}} edit svc/registry

# Use another editor
KUBE_EDITOR="nano" {{program}} edit svc/registry

# Edit a job as JSON, in a version of your choice
{{program}} edit job.v1.batch/myjob -o json

# Edit a deployment and record it for a later apply
{{program}} edit deployment/mydeployment --save-config

# Edit the status of a deployment
{{program}} edit deployment mydeployment --subresource=status`,
    flags: [
      recordFlag,
      ...printFlags,
      ...filenameFlags("File, directory or URL that names what to edit"),
      validateFlag,
      { name: "output-patch", type: "bool", usage: "Print each patch that is sent" },
      windowsLineEndingsFlag,
      fieldManagerFlag("kubectl-edit"),
      saveConfigFlag,
      subresourceFlag,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeTypesAndNames,
    completeFlags: { subresource: completeWords(SUBRESOURCES) },
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<EditCommandOptions> {
  const { args, flags, signal } = invocation;
  const { streams } = factory;
  const cause = readRecord(invocation);
  const { namespace, enforced } = await factory.namespace();
  const subresource = flags.string("subresource");
  const builder = await factory.builder();
  const result = await builder
    .typeOrNameArgs(true, args)
    .latest()
    .namespaceParam(namespace)
    .defaultNamespace()
    .filenames(enforced, readFilenames(flags))
    .subresource(subresource)
    .continueOnError()
    .flatten()
    .do();
  const fieldValidation = readFieldValidation(flags);
  const request = readPrintRequest(flags, factory);
  const write = (text: string): void => void streams.out.write(text);
  const saveConfig = flags.bool("save-config");
  return {
    infos: () => result.infos(),
    editing: {
      ...editFormat(request),
      header: OBJECT_HEADER,
      windowsLineEndings: readWindowsLineEndings(flags, factory),
      validate: documentValidation({
        directive: fieldValidation,
        openapi: factory.openapi,
        client: factory.restClient,
        cannotWarn: () => warnCannotValidate(factory),
      }),
      read: editedReader(factory),
      namespace,
      host: factory,
    },
    client: factory.restClient,
    request: { fieldManager: flags.string("field-manager"), fieldValidation, subresource, signal },
    annotate: (object) => withChangeCause(saveConfig ? withLastApplied(object) : object, cause),
    showPatch: (patch) => {
      if (flags.bool("output-patch")) write(`Patch: ${patch}\n`);
    },
    print: (operation, object) => printerFor(request, operation).print(object, write),
    warn: (text) => void streams.err.write(text),
  };
}

/** Opens an editor with all objects in one file, and patches each object that was changed. */
export async function runEdit(options: EditCommandOptions): Promise<void> {
  const infos = await options.infos();
  if (infos.length === 0) throw new Error("edit cancelled, no objects found");
  const save: EditOptions["save"] = async (edited, failed) => {
    for (const info of edited) info.object = options.annotate(info.object ?? {});
    const emit = (event: PatchEditedEvent): void => show(event, options);
    await patchEdited(edited, infos, { rest: await options.client(), request: options.request, failed, emit });
  };
  await editInEditor(infos, { ...options.editing, save });
}

function show(event: PatchEditedEvent, { print, showPatch, warn }: EditCommandOptions): void {
  if (event.type === "patching") showPatch(event.patch);
  else if (event.type === "failed") warn(`${failureLine(event.failure, event.error, event.info)}\n`);
  else print(event.type, event.object);
}

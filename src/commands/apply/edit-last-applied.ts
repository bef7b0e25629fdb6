import { annotationPatch } from "../../actions/apply/apply-annotation.js";
import { isUnchanged, originalOf } from "../../actions/edit/edit-loop.js";
import { lastApplied } from "../../actions/apply/last-applied.js";
import { documentValidation } from "../../actions/validate-document.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeTypesAndNames } from "../../cli/completion/resource-completers.js";
import {
  editInEditor,
  type EditOptions,
  editedReader,
  editFormat,
  readWindowsLineEndings,
  windowsLineEndingsFlag,
} from "../../cli/editing/edit-in-editor.js";
import type { Factory } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { readRecord, recordFlag, CLIENT_SIDE_MANAGER } from "../../cli/flags/change-flags.js";
import {
  fieldManagerFlag,
  filenameFlags,
  readFieldValidation,
  readFilenames,
  validateFlag,
  warnCannotValidate,
} from "../../cli/flags/resource-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { withChangeCause } from "../../polymorphic-helpers/change-cause.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import { Helper, type HelperOptions } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";

export interface EditLastAppliedOptions {
  readonly infos: () => Promise<readonly Info[]>;
  readonly editing: Omit<EditOptions, "save">;
  readonly client: () => Promise<RestClient>;
  readonly request: HelperOptions;
  /** What is noted in a configuration before it is recorded. */
  readonly record: (object: KubeObject) => KubeObject;
  readonly print: (operation: "edited" | "skipped", object: KubeObject) => void;
}

const HEADER = `# Please edit the 'last-applied-configuration' annotations below.
# Lines beginning with a '#' will be ignored, and an empty file will abort the edit.
#
`;

export function editLastAppliedCommand(run = runEditLastApplied): Command {
  return {
    use: "edit-last-applied (RESOURCE/NAME | -f FILENAME)",
    description: `Edit the record of what was applied to resources last, in the editor that KUBE_EDITOR or EDITOR names. Only the record
changes, not the resources: the next apply compares with it.`,
    examples: `# Edit what was applied to a deployment last
{{program}} apply edit-last-applied deployment/nginx

# The same of what a file names, as JSON
{{program}} apply edit-last-applied -f deploy.yaml -o json`,
    flags: [
      recordFlag,
      ...printFlags,
      ...filenameFlags("File, directory or URL that names what to edit"),
      windowsLineEndingsFlag,
      fieldManagerFlag(CLIENT_SIDE_MANAGER),
      validateFlag,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeTypesAndNames,
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<EditLastAppliedOptions> {
  const { args, flags, signal } = invocation;
  const cause = readRecord(invocation);
  const { namespace, enforced } = await factory.namespace();
  const builder = await factory.builder();
  const result = await builder
    .typeOrNameArgs(true, args)
    .latest()
    .namespaceParam(namespace)
    .defaultNamespace()
    .filenames(enforced, readFilenames(flags))
    .continueOnError()
    .flatten()
    .do();
  const fieldValidation = readFieldValidation(flags);
  const request = readPrintRequest(flags, factory);
  return {
    infos: () => result.infos(),
    editing: {
      ...editFormat(request),
      header: HEADER,
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
    request: { fieldManager: flags.string("field-manager"), fieldValidation, signal },
    record: (object) => withChangeCause(object, cause),
    print: (operation, object) =>
      printerFor(request, operation).print(object, (text) => factory.streams.out.write(text)),
  };
}

/** Edits the annotations of all objects in one file; objects without the annotation are skipped. */
export async function runEditLastApplied(options: EditLastAppliedOptions): Promise<void> {
  const records: Info[] = [];
  for (const { object = {} } of await options.infos()) {
    const recorded = lastApplied(object);
    if (recorded === undefined) continue;
    const [first] = await options.editing.read(recorded);
    if (first !== undefined) records.push(first);
  }
  if (records.length === 0) {
    throw new Error(
      "no last-applied-configuration annotation found on resources, to create the annotation, use command `kubectl apply set-last-applied --create-annotation`",
    );
  }
  await editInEditor(records, { ...options.editing, save: (edited) => save(records, edited, options) });
}

async function save(
  originals: readonly Info[],
  edited: readonly Info[],
  options: EditLastAppliedOptions,
): Promise<void> {
  for (const info of edited) info.object = options.record(info.object ?? {});
  for (const info of edited) {
    const unchanged = isUnchanged(originalOf(info, originals), info);
    if (!unchanged) await annotate(info, options);
    options.print(unchanged ? "skipped" : "edited", info.object ?? {});
  }
}

async function annotate(info: Info, { client, request, editing }: EditLastAppliedOptions): Promise<void> {
  const { patch } = annotationPatch(info.object ?? {});
  const helper = new Helper(await client(), info.mapping, request);
  await helper.patch(editing.namespace, info.name, "merge", new TextEncoder().encode(patch));
}

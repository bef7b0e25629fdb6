import { withLastApplied } from "../../actions/apply/last-applied.js";
import { documentValidation } from "../../actions/validate-document.js";
import type { Invocation } from "../../cli/command.js";
import {
  editInEditor,
  type EditOptions,
  OBJECT_HEADER,
  editedReader,
  editFormat,
} from "../../cli/editing/edit-in-editor.js";
import type { Factory } from "../../cli/connect/factory.js";
import { readPrintRequest } from "../../cli/flags/print-flags.js";
import { readRecord } from "../../cli/flags/change-flags.js";
import { readFieldValidation, readFilenames, warnCannotValidate } from "../../cli/flags/resource-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { withChangeCause } from "../../polymorphic-helpers/change-cause.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import type { Result } from "../../resource/builder.js";
import { Helper, type HelperOptions } from "../../resource/helper.js";
import { type Info, refresh } from "../../resource/info.js";

export interface CreateEditedOptions {
  readonly found: Result;
  readonly editing: Omit<EditOptions, "save">;
  readonly client: () => Promise<RestClient>;
  readonly request: HelperOptions;
  /** What is recorded in the objects before they are sent. */
  readonly annotate: (object: KubeObject) => KubeObject;
  readonly print: (object: KubeObject) => void;
}

/** Reads the options of `create --edit`. As in kubectl, --dry-run, --field-manager and --selector have no effect with --edit. */
export async function completeEdited(factory: Factory, invocation: Invocation): Promise<CreateEditedOptions> {
  const { flags, signal } = invocation;
  const { namespace, enforced } = await factory.namespace();
  const builder = await factory.builder();
  const found = await builder
    .namespaceParam(namespace)
    .defaultNamespace()
    .filenames(enforced, readFilenames(flags))
    .continueOnError()
    .flatten()
    .do();
  const fieldValidation = readFieldValidation(flags);
  const request = readPrintRequest(flags, factory);
  const cause = readRecord(invocation);
  const saveConfig = flags.bool("save-config");
  return {
    found,
    editing: {
      ...editFormat(request),
      header: OBJECT_HEADER,
      windowsLineEndings: factory.platform === "win32",
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
    request: { fieldManager: "kubectl-create", fieldValidation, signal },
    annotate: (object) => withChangeCause(saveConfig ? withLastApplied(object) : object, cause),
    print: (object) => printerFor(request, "created").print(object, (text) => factory.streams.out.write(text)),
  };
}

/** Opens an editor for each object, and creates the edited object. */
export async function runCreateEdited(options: CreateEditedOptions): Promise<void> {
  await options.found.visit((info) =>
    editInEditor([info], { ...options.editing, save: (edited) => create(edited, options) }),
  );
}

async function create(edited: readonly Info[], options: CreateEditedOptions): Promise<void> {
  for (const info of edited) info.object = options.annotate(info.object ?? {});
  for (const info of edited) {
    const helper = new Helper(await options.client(), info.mapping, options.request);
    refresh(info, await helper.create(info.namespace, info.object ?? {}));
    options.print(info.object ?? {});
  }
}

import { existsSync } from "node:fs";
import { goQuote } from "../base/go-quote.js";
import { goSharpV } from "../machinery/go-values/go-values.js";
import type { JsonObject } from "../machinery/meta/json.js";
import { sortedJson } from "../resource/encode-json.js";
import type { Info } from "../resource/info.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { Printer } from "../printers/printer.js";
import { requireNamespace } from "../resource/namespaces.js";
import { EditOutcome } from "./edit-outcome.js";
import { hasContent, jsonOf, substanceOf, withoutComments } from "./edited-text.js";
import { type EditedFile, type EditorHost, editText } from "./editor.js";
import { silentExit } from "./errors.js";
import type { Streams } from "./factory.js";
import { removeTemp } from "./temp-files.js";

export interface EditOptions {
  /** Comment lines that say what is being edited; not shown above JSON. */
  readonly header: string;
  /** Prints what is edited. Throws for a format that nobody can edit. */
  readonly printer: () => Printer;
  readonly json: boolean;
  readonly windowsLineEndings: boolean;
  /** Called with the edited text as JSON; throws what is to be corrected. */
  readonly validate: ((json: string) => Promise<void>) | undefined;
  /** Reads the objects of an edited text. Throws for what is none. */
  readonly read: (text: string) => Promise<readonly Info[]>;
  /** The only one the objects may be in. */
  readonly namespace: string;
  /**
   * Sends what was edited. What it throws ends everything and leaves the file; a failure that editing may cure goes to
   * the outcome.
   */
  readonly save: (edited: readonly Info[], outcome: EditOutcome) => Promise<void>;
  readonly host: EditorHost & { readonly program: string; readonly streams: Streams };
}

/** Comment lines above objects. */
export const OBJECT_HEADER = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;

/**
 * Opens an editor on the objects, all in one file, and sends what was changed; as long as the server finds faults that
 * editing may cure, the editor opens again with the faults in comments. The file is kept when what it holds could not be
 * sent, and stderr says where it is.
 */
export async function editInEditor(infos: readonly Info[], options: EditOptions): Promise<void> {
  await new EditSession(infos, options).run();
}

type Verdict = "again" | "done";

class EditSession {
  private outcome = new EditOutcome();
  /** The file of the round before. */
  private path = "";
  private edited = "";
  private original = "";
  private mustCorrect = false;

  constructor(
    private readonly infos: readonly Info[],
    private readonly options: EditOptions,
  ) {}

  async run(): Promise<void> {
    for (;;) if ((await this.round()) === "done") return;
  }

  private async round(): Promise<Verdict> {
    const { host, json } = this.options;
    const text = await this.keeping(this.path, () => this.compose());
    const before = this.edited;
    const file = await this.keeping(this.path, () =>
      editText(`${host.program}-edit-`, json ? ".json" : ".yaml", text, host),
    );
    this.edited = file.text;
    if (this.mustCorrect && substanceOf(before) === substanceOf(file.text)) {
      this.tellOfCopy(file.path);
      throw new Error("Edit cancelled, no valid changes were saved.");
    }
    if (this.path !== "") await removeTemp(this.path);
    return this.judge(file);
  }

  /** What the editor is to show. */
  private compose(): string {
    const { header, json, windowsLineEndings } = this.options;
    let text = json ? "" : header + this.outcome.comments();
    if (!this.mustCorrect) this.options.printer().print(this.shown(), (piece) => (text += piece));
    if (windowsLineEndings) text = text.replaceAll("\n", "\r\n");
    if (this.mustCorrect) return text + withoutComments(this.edited);
    this.original = text;
    return text;
  }

  /** The object, or a list of all; who manages which field is nothing to edit. */
  private shown(): KubeObject {
    const objects = this.infos.map(({ object = {} }) => withManagedFields(object, undefined));
    const [first] = objects;
    if (first !== undefined && objects.length === 1) return first;
    return { kind: "List", apiVersion: "v1", metadata: {}, items: objects };
  }

  private async judge(file: EditedFile): Promise<Verdict> {
    const { validate, host } = this.options;
    const fault = await this.faultOf(file, validate);
    if (fault !== undefined) {
      this.startOver(file);
      this.mustCorrect = true;
      host.streams.err.write(`${this.outcome.addFailedValidation(fault.error, this.infos[0] as Info)}\n`);
      return "again";
    }
    if (substanceOf(this.original) === substanceOf(file.text)) return this.cancel(file, "no changes made");
    if (!hasContent(file.text)) return this.cancel(file, "saved file was empty");
    this.startOver(file);
    const edited = await this.options.read(file.text).catch((error: unknown) => {
      this.outcome.addSyntaxError(error);
      return undefined;
    });
    this.mustCorrect = edited === undefined;
    if (edited === undefined) return "again";
    await this.keeping(file.path, () => this.send(edited));
    return this.conclude(file);
  }

  private async faultOf(
    file: EditedFile,
    validate: EditOptions["validate"],
  ): Promise<{ readonly error: unknown } | undefined> {
    if (validate === undefined) return undefined;
    try {
      await validate(jsonOf(file.text));
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  private async cancel(file: EditedFile, why: string): Promise<Verdict> {
    await removeTemp(file.path);
    this.options.host.streams.err.write(`Edit cancelled, ${why}.\n`);
    return "done";
  }

  private startOver(file: EditedFile): void {
    this.outcome = new EditOutcome();
    this.path = file.path;
  }

  private async send(edited: readonly Info[]): Promise<void> {
    const settle = requireNamespace(this.options.namespace);
    for (const info of edited) {
      const { uid } = info.object?.metadata ?? {};
      const original = this.infos.find(({ object }) => object?.metadata?.uid === uid);
      info.object = withManagedFields(info.object ?? {}, original?.object?.metadata?.managedFields);
    }
    for (const info of edited) await settle(info);
    await this.options.save(edited, this.outcome);
  }

  private async conclude({ path }: EditedFile): Promise<Verdict> {
    const { outcome } = this;
    const { program, streams } = this.options.host;
    if (outcome.retryable > 0) {
      streams.err.write(`You can run \`${program} replace -f ${path}\` to try this update again.\n`);
      throw silentExit();
    }
    if (outcome.notFound > 0) {
      streams.err.write(`The edits you made on deleted resources have been saved to ${goQuote(path)}\n`);
      throw silentExit();
    }
    if (outcome.invalid === 0) {
      await removeTemp(path);
      return "done";
    }
    this.mustCorrect = outcome.reasons.length > 0;
    return "again";
  }

  /** Says where the file is when what is done with it fails. */
  private async keeping<T>(path: string, act: () => T | Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      this.tellOfCopy(path);
      throw error;
    }
  }

  private tellOfCopy(path: string): void {
    if (path === "" || !existsSync(path)) return;
    this.options.host.streams.err.write(`A copy of your changes has been stored to ${goQuote(path)}\n`);
  }
}

/** What an edited object began as: the first that was shown with its uid. */
export function originalOf(edited: Info, originals: readonly Info[]): Info {
  const uid = edited.object?.metadata?.uid;
  const original = originals.find(({ object }) => object?.metadata?.uid === uid);
  if (original !== undefined) return original;
  const shown = goSharpV((edited.object ?? {}) as JsonObject);
  throw new Error(`no original object found for &unstructured.Unstructured{Object:${shown}}`);
}

/** Whether editing left the object as it was. */
export const isUnchanged = (original: Info, edited: Info): boolean =>
  sortedJson(original.object) === sortedJson(edited.object);

function withManagedFields(object: KubeObject, managedFields: JsonObject[] | undefined): KubeObject {
  if (managedFields === undefined && object.metadata?.managedFields === undefined) return object;
  const { managedFields: _taken, ...metadata } = object.metadata ?? {};
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}

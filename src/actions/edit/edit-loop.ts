import { goSharpV } from "../../machinery/text/go/go-values.js";
import { isNotFound, isStatusError, type StatusError } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { sortedJson } from "../../resource/encode-json.js";
import type { Info } from "../../resource/info.js";
import { hasContent, jsonOf, substanceOf, withoutComments } from "./edited-text.js";

/** What an editor shows in one round, and the reasons why it is opened again. */
export interface EditRound {
  /** The objects as text, or the text of the round before. */
  readonly document: string;
  /** What has to be corrected. Empty in the first round. */
  readonly reasons: readonly EditReason[];
}

/** Why a text has to be edited again. */
export type EditReason =
  /** It cannot be read as objects. */
  | { readonly type: "syntax"; readonly error: unknown }
  /** An object is not what its kind allows; the first of the objects that are edited stands for all. */
  | { readonly type: "schema"; readonly info: Info; readonly error: unknown }
  /** The server found an object invalid; `error.status.details.causes` has the fields. */
  | { readonly type: "invalid"; readonly info: Info; readonly error: StatusError };

/** Why an object was not saved. "invalid": the user may edit it again; "retryable": it can be sent again later; "notFound": it was deleted. */
export type EditFailure = "invalid" | "retryable" | "notFound";

/** How editing ended. */
export type EditEnd =
  | { readonly type: "saved" }
  /** Nothing was sent. */
  | { readonly type: "cancelled"; readonly why: "unchanged" | "empty" }
  /** Objects were not saved and editing does not help. `text` holds what was edited. */
  | { readonly type: "unsaved"; readonly why: "retryable" | "notFound"; readonly text: string };

/** Thrown when the user left a text unchanged in the editor that had to be corrected. */
export class EditGivenUpError extends Error {
  override readonly name = "EditGivenUpError";

  /** `text` holds what was edited before. */
  constructor(readonly text: string) {
    super("Edit cancelled, no valid changes were saved.");
  }
}

export interface EditLoopOptions {
  /** Writes the object, or the List of all, for the editor. */
  readonly print: (object: KubeObject) => string;
  /** Shows the document and answers with what it was made. Comment lines, beginning with `#`, are ignored. */
  readonly editor: (round: EditRound) => Promise<string>;
  /** Called with the edited text as JSON; throws what is to be corrected. */
  readonly validate?: ((json: string) => Promise<void>) | undefined;
  /** Reads the objects of an edited text. Throws for what is none. */
  readonly read: (text: string) => Promise<readonly Info[]>;
  /**
   * Sends what was edited. What it throws ends the loop; a failure that is to be judged goes to `failed`, which answers
   * what it is.
   */
  readonly save: (edited: readonly Info[], failed: (info: Info, error: unknown) => EditFailure) => Promise<void>;
  /** Called with what the text is refused for before it is sent. */
  readonly refused?: ((reason: EditReason) => void) | undefined;
}

/**
 * Opens an editor with all objects in one text and saves those that were changed; opens it again, with the reasons, while there
 * are faults that editing can correct. Throws an EditGivenUpError, and what the editor or `save` throws.
 */
export async function editLoop(infos: readonly Info[], options: EditLoopOptions): Promise<EditEnd> {
  const original = options.print(shown(infos));
  let round: EditRound = { document: original, reasons: [] };
  let before: string | undefined;
  for (;;) {
    const text = await options.editor(round);
    if (before !== undefined && substanceOf(before) === substanceOf(text)) throw new EditGivenUpError(text);
    const outcome = await judge(text, original, infos, options);
    if ("end" in outcome) return outcome.end;
    before = text;
    round = { document: withoutComments(text), reasons: outcome.reasons };
  }
}

/** The object, or a list of all; who manages which field is nothing to edit. */
function shown(infos: readonly Info[]): KubeObject {
  const objects = infos.map(({ object = {} }) => withManagedFields(object, undefined));
  const [first] = objects;
  if (first !== undefined && objects.length === 1) return first;
  return { kind: "List", apiVersion: "v1", metadata: {}, items: objects };
}

async function judge(
  text: string,
  original: string,
  infos: readonly Info[],
  options: EditLoopOptions,
): Promise<{ readonly end: EditEnd } | { readonly reasons: readonly EditReason[] }> {
  const again = (reason: EditReason): { readonly reasons: readonly EditReason[] } => {
    options.refused?.(reason);
    return { reasons: [reason] };
  };
  const fault = await faultOf(() => options.validate?.(jsonOf(text)));
  if (fault !== undefined) return again({ type: "schema", info: infos[0] as Info, error: fault.error });
  if (substanceOf(original) === substanceOf(text)) return { end: { type: "cancelled", why: "unchanged" } };
  if (!hasContent(text)) return { end: { type: "cancelled", why: "empty" } };
  let edited: readonly Info[];
  try {
    edited = await options.read(text);
  } catch (error) {
    return again({ type: "syntax", error });
  }
  for (const info of edited) {
    const managed = originalOrNone(info, infos)?.object?.metadata?.managedFields;
    info.object = withManagedFields(info.object ?? {}, managed);
  }
  const failures = new Failures();
  await options.save(edited, (info, error) => failures.add(info, error));
  const end = failures.end(text);
  return end === undefined ? { reasons: failures.reasons } : { end };
}

async function faultOf(act: () => Promise<void> | undefined): Promise<{ readonly error: unknown } | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** What was not saved in one round. */
class Failures {
  readonly reasons: EditReason[] = [];
  readonly #seen = new Set<EditFailure>();

  add(info: Info, error: unknown): EditFailure {
    const failure = failureOf(error);
    this.#seen.add(failure);
    if (failure === "invalid") this.reasons.push({ type: "invalid", info, error: error as StatusError });
    return failure;
  }

  /** Undefined: there is something to correct. */
  end(text: string): EditEnd | undefined {
    if (this.#seen.has("retryable")) return { type: "unsaved", why: "retryable", text };
    if (this.#seen.has("notFound")) return { type: "unsaved", why: "notFound", text };
    return this.reasons.length === 0 ? { type: "saved" } : undefined;
  }
}

function failureOf(error: unknown): EditFailure {
  if (isStatusError(error) && error.reason === "Invalid") return "invalid";
  return isNotFound(error) ? "notFound" : "retryable";
}

/** Finds the object that an edited object was made from: the first one shown with its uid. Throws where there is none. */
export function originalOf(edited: Info, originals: readonly Info[]): Info {
  const original = originalOrNone(edited, originals);
  if (original !== undefined) return original;
  const found = goSharpV((edited.object ?? {}) as JsonObject);
  throw new Error(`no original object found for &unstructured.Unstructured{Object:${found}}`);
}

function originalOrNone(edited: Info, originals: readonly Info[]): Info | undefined {
  const uid = edited.object?.metadata?.uid;
  return originals.find(({ object }) => object?.metadata?.uid === uid);
}

/** Whether editing left the object as it was. */
export const isUnchanged = (original: Info, edited: Info): boolean =>
  sortedJson(original.object) === sortedJson(edited.object);

function withManagedFields(object: KubeObject, managedFields: JsonObject[] | undefined): KubeObject {
  if (managedFields === undefined && object.metadata?.managedFields === undefined) return object;
  const { managedFields: _taken, ...metadata } = object.metadata ?? {};
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}

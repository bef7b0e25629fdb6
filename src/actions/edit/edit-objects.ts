import { isJsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { emitYaml } from "../../machinery/text/yaml/emit.js";
import { parseYaml } from "../../machinery/text/yaml/read.js";
import { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import { isList, listItems } from "../../resource/lists.js";
import { eventsOf } from "../follow/event-stream.js";
import { infoOf } from "../../resource/info-of.js";
import { type ActionClient, resolveTarget, type Target } from "../target.js";
import { type EditEnd, editLoop, type EditReason, type EditRound } from "./edit-loop.js";
import { patchEdited, type PatchEditedEvent } from "./patch-edited.js";

export interface EditObjectsOptions {
  readonly client: ActionClient;
  /** Several are edited in one text, as a List. */
  readonly objects: readonly Target[];
  /**
   * Shows the document, which is YAML, and answers with what it was made. It is called again, with the reasons, while there are
   * faults to correct. Lines that begin with `#` are ignored.
   */
  readonly editor: (round: EditRound) => Promise<string>;
  /** Called with the edited text as JSON; throws what is to be corrected. Default: the server alone judges. */
  readonly validate?: ((json: string) => Promise<void>) | undefined;
  /** Default: none, and the server names the client. */
  readonly fieldManager?: string | undefined;
  /** Default: the server's, "Warn". */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
  /** Edits this part of the objects: "status". */
  readonly subresource?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What happens while objects are edited; the last one is an {@link EditEnd}. */
export type EditEvent =
  | PatchEditedEvent
  /** The text is not sent; the editor is called again with the reason. */
  | { readonly type: "refused"; readonly reason: EditReason }
  | EditEnd;

/**
 * Reads objects, opens an editor and patches the objects that were changed, as `kubectl edit` does. Objects that the server
 * rejects as invalid go back to the editor. Throws what the editor throws, an EditGivenUpError when the user does not correct the
 * faults, and the server's error for objects that cannot be read.
 */
export async function* editObjects(options: EditObjectsOptions): AsyncGenerator<EditEvent, void, undefined> {
  const { client, editor, fieldManager, fieldValidation, subresource, signal, validate } = options;
  if (options.objects.length === 0) throw new Error("there are no objects to edit");
  const request = { fieldManager, fieldValidation, subresource, signal };
  const originals: Info[] = [];
  for (const target of options.objects) originals.push(await readTarget(target, options));
  yield* eventsOf<EditEvent>(async (emit) => {
    const end = await editLoop(originals, {
      print: (object) => emitYaml(object),
      editor: async (round) => {
        signal?.throwIfAborted();
        return editor(round);
      },
      validate,
      read: (text) => readObjects(text, client),
      refused: (reason) => emit({ type: "refused", reason }),
      save: (edited, failed) => patchEdited(edited, originals, { rest: client.rest, request, failed, emit }),
    });
    emit(end);
  });
}

async function readTarget(target: Target, { client, subresource, signal }: EditObjectsOptions): Promise<Info> {
  const { mapping, namespace, name, object } = await resolveTarget(target, client);
  const helper = new Helper(client.rest, mapping, { subresource, signal });
  return { source: "", mapping, namespace, name, object: object ?? (await helper.get(namespace, name)) };
}

async function readObjects(text: string, client: ActionClient): Promise<readonly Info[]> {
  const value = parseYaml(text);
  if (!isJsonObject(value)) throw new Error("the edited text is not an object");
  const object: KubeObject = value;
  const infos: Info[] = [];
  for (const item of isList(object) ? listItems(object) : [object]) infos.push(await infoOf(client, item));
  return infos;
}

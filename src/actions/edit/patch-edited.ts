import type { RestClient } from "../../client/rest/rest-client.js";
import { isJsonObject, type JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { Helper, type HelperOptions } from "../../resource/helper.js";
import { type Info, refresh } from "../../resource/info.js";
import { calculatePatch } from "../apply/three-way-patch.js";
import { type EditFailure, isUnchanged, originalOf } from "./edit-loop.js";

export interface PatchEditedOptions {
  readonly rest: RestClient;
  readonly request: HelperOptions;
  /** Files what is to be judged; see EditLoopOptions. */
  readonly failed: (info: Info, error: unknown) => EditFailure;
  readonly emit: (event: PatchEditedEvent) => void;
}

export type PatchEditedEvent =
  /** The patch that is sent next. */
  | { readonly type: "patching"; readonly object: KubeObject; readonly patch: string }
  /** The object as the server answered it. */
  | { readonly type: "edited"; readonly object: KubeObject }
  /** Editing left the object as it was. */
  | { readonly type: "skipped"; readonly object: KubeObject }
  | { readonly type: "failed"; readonly info: Info; readonly failure: EditFailure; readonly error: unknown };

/**
 * Patches the objects that editing changed, one after the other. A rejection by the server is emitted as an event. Throws where an
 * edited object is none of the originals, or where its kind or name was changed.
 */
export async function patchEdited(
  edited: readonly Info[],
  originals: readonly Info[],
  options: PatchEditedOptions,
): Promise<void> {
  for (const info of edited) {
    const original = originalOf(info, originals);
    if (isUnchanged(original, info)) options.emit({ type: "skipped", object: info.object ?? {} });
    else await patchOne(original, info, options);
  }
}

async function patchOne(
  original: Info,
  info: Info,
  { rest, request, failed, emit }: PatchEditedOptions,
): Promise<void> {
  const { type, patch, text } = await calculatePatch(info.mapping.kind, original.object ?? {}, info.object ?? {});
  requireIdentity(patch);
  emit({ type: "patching", object: info.object ?? {}, patch: text });
  const helper = new Helper(rest, info.mapping, request);
  try {
    refresh(info, await helper.patch(info.namespace, info.name, type, new TextEncoder().encode(text)));
  } catch (error) {
    emit({ type: "failed", info, failure: failed(info, error), error });
    return;
  }
  emit({ type: "edited", object: info.object ?? {} });
}

/** A patch cannot make an object another one. */
function requireIdentity(patch: JsonObject): void {
  const { metadata } = patch;
  const renamed = isJsonObject(metadata) && Object.hasOwn(metadata, "name");
  if (renamed || ["apiVersion", "kind", "managedFields"].some((key) => Object.hasOwn(patch, key))) {
    throw new Error("At least one of apiVersion, kind and name was changed");
  }
}

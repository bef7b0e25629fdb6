import type { GroupResource } from "../../../machinery/errors/status-error.js";
import type { Preconditions, StoredObject } from "../store.js";
import { preconditionFailed } from "./errors.js";

/** Throws Conflict unless `object`, undefined for a missing one, meets the preconditions. */
export function checkPreconditions(
  wanted: Preconditions | undefined,
  object: StoredObject | undefined,
  about: { readonly resource: GroupResource; readonly name: string; readonly key: string },
): void {
  if (wanted === undefined) return;
  const uid = object?.object().metadata?.uid ?? "";
  if (wanted.uid !== undefined && wanted.uid !== uid) {
    const what = `UID in precondition: ${wanted.uid}, UID in object meta: ${uid}`;
    throw preconditionFailed(about.resource, about.name, about.key, what);
  }
  const version = object === undefined ? "" : String(object.revision);
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== version) {
    const what = `ResourceVersion in precondition: ${wanted.resourceVersion}, ResourceVersion in object meta: ${version}`;
    throw preconditionFailed(about.resource, about.name, about.key, what);
  }
}

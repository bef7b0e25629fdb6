import type { KubeObject } from "../../../machinery/meta/object.js";

/** Adds a finalizer behind those that the object has, once. */
export function addFinalizer(draft: KubeObject, finalizer: string): void {
  const { finalizers = [] } = draft.metadata ?? {};
  if (finalizers.includes(finalizer)) return;
  draft.metadata = { ...draft.metadata, finalizers: [...finalizers, finalizer] };
}

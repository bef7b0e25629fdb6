import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { absent, list, object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { qualifiedNameErrors } from "../../../machinery/validation/names.js";
import type { Namespace } from "../../types/core/v1.js";
import { named } from "../rules.js";

const STANDARD = ["kubernetes", "orphan", "foregroundDeletion"];

/** Checks `spec.finalizers`: the server keeps a namespace until controllers have removed all of them. `metadata.finalizers` has other rules. */
export function validateNamespace(namespace: ReceivedObject<Namespace>): FieldError[] {
  const path = "spec.finalizers";
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  return list(object(namespace.spec).finalizers)
    .map(text)
    .flatMap((finalizer) => [
      ...named(finalizer, path, qualifiedNameErrors),
      ...(finalizer.includes("/") || STANDARD.includes(finalizer) ? [] : [invalidValue(path, finalizer, detail)]),
    ]);
}

/** Validates a namespace's phase: it must tell whether the namespace is being deleted. */
export function validateNamespaceStatusUpdate(namespace: ReceivedObject<Namespace>): FieldError[] {
  const phase = text(object(namespace.status).phase);
  const deleting = !absent(namespace.metadata?.deletionTimestamp);
  if (phase === (deleting ? "Terminating" : "Active")) return [];
  const detail = deleting
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [invalidValue("status.Phase", phase, detail)];
}

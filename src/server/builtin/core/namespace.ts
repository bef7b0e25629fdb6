import { validateNamespace, validateNamespaceStatusUpdate } from "../../../api/validation/namespace.js";
import { ensureChild, list, object, text } from "../../../machinery/meta/access.js";
import { dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type { Strategy } from "../../registry/strategy.js";

/** The `kubernetes` finalizer of a namespace's spec stays until its content is gone; only /finalize takes it out. */
export const namespaceStrategy: Strategy = {
  prepareForCreate(draft) {
    draft.status = { phase: "Active" };
    const spec = ensureChild(draft, "spec");
    const finalizers = list(spec.finalizers);
    if (!finalizers.includes("kubernetes")) spec.finalizers = [...finalizers, "kubernetes"];
  },
  prepareForUpdate(draft, old) {
    draft.spec = { ...object(draft.spec), ...(old.spec !== undefined && { finalizers: object(old.spec).finalizers }) };
    draft.status = old.status;
  },
  holdsDeletion: (namespace) => list(object(namespace.spec).finalizers).length > 0,
  markDeleting(draft) {
    draft.status = { ...object(draft.status), phase: "Terminating" };
  },
  validate: validateNamespace,
  validateStatusUpdate: validateNamespaceStatusUpdate,
  validateName: dns1123LabelErrors,
  fieldLabels: ["status.phase"],
  fields: (namespace) => ({ "status.phase": text(object(namespace.status).phase) }),
};

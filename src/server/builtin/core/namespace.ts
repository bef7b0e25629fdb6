import type { Namespace } from "../../../api/types/core/v1.js";
import { validateNamespace, validateNamespaceStatusUpdate } from "../../../api/validation/core/namespace.js";
import { ensureChild, list, object, text } from "../../../machinery/meta/received.js";
import { dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { handleNamespaceFinalize } from "./namespace-finalize.js";

/** The `kubernetes` finalizer of a namespace's spec stays until its content is gone; only /finalize takes it out. */
export const namespaceRecord: RecordOf<Namespace> = {
  group: "",
  resource: "namespaces",
  subresources: {
    finalize: { handlers: { update: (namespaces) => (request) => handleNamespaceFinalize(request, namespaces) } },
  },
  strategy: {
    prepareForCreate(draft) {
      draft.status = { phase: "Active" };
      const spec = ensureChild(draft, "spec");
      const finalizers = list(spec.finalizers);
      if (!finalizers.includes("kubernetes")) spec.finalizers = [...finalizers, "kubernetes"];
    },
    prepareForUpdate(draft, old) {
      draft.spec = {
        ...object(draft.spec),
        ...(old.spec !== undefined && { finalizers: object(old.spec).finalizers }),
      };
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
    columns: columns(
      ["Name", ["Status", "Active, or Terminating while its content is deleted."], "Age"],
      (namespace, now) => [name(namespace), text(object(namespace.status).phase), age(namespace, now)],
    ),
  },
};

import type { NamespaceSpec, Namespace } from "../../../api/types/core/v1.js";
import { validateNamespace, validateNamespaceStatusUpdate } from "../../../api/validation/core/namespace.js";
import { type FieldsOf, ensureChild, list, object, text } from "../../../machinery/meta/received.js";
import { dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { isJsonObject } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { readObjectBody } from "../../endpoints/negotiation/request-body.js";
import { writeOptions } from "../../endpoints/options/write-options.js";
import type { ServedResource } from "../../endpoints/served-resource.js";
import { Admitter } from "../../endpoints/verbs/admitter.js";
import { respondObject } from "../../endpoints/verbs/answer.js";
import { checkName, trustedUpdate } from "../../endpoints/verbs/update.js";
import { objectFormat } from "../../endpoints/verbs/scope.js";
import type { ApiRequest } from "../../request/api-request.js";

/** The record of Namespaces. The `kubernetes` finalizer in the spec stays until the content is deleted; only /finalize removes it. */
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
        ...(old.spec !== undefined && ({ finalizers: object(old.spec).finalizers } satisfies FieldsOf<NamespaceSpec>)),
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

/** PUT /api/v1/namespaces/NAME/finalize: sets spec.finalizers; the last one taken off a deleted namespace removes it. */
async function handleNamespaceFinalize(request: ApiRequest, resource: ServedResource): Promise<void> {
  const format = objectFormat(request.exchange, resource);
  const options = writeOptions(request.exchange.query, "UpdateOptions");
  const { object } = await resource.codec.decode(await readObjectBody(request), options.fieldValidation);
  request.audit?.decoded(object, resource.codec.schema);
  checkName(object, request.info);
  const wanted = isJsonObject(object["spec"]) ? (object["spec"]["finalizers"] ?? []) : [];
  const change = (draft: KubeObject) => {
    const version = object.metadata?.resourceVersion ?? "";
    if (version !== "" && draft.metadata !== undefined) draft.metadata.resourceVersion = version;
    draft["spec"] = {
      ...(isJsonObject(draft["spec"]) ? draft["spec"] : {}),
      finalizers: wanted,
    } satisfies FieldsOf<NamespaceSpec>;
  };
  const admit = new Admitter(request, resource, options.dryRun).update;
  const stored = await trustedUpdate(request, resource, options.dryRun, change, { admit });
  await respondObject(request, resource, format, 200, stored);
}

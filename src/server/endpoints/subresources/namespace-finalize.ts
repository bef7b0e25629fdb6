import { isJsonObject } from "../../../machinery/meta/json.js";
import type { ApiRequest } from "../../request/api-request.js";
import { readObjectBody } from "../negotiation/request-body.js";
import { writeOptions } from "../options/write-options.js";
import type { ServedResource } from "../served-resource.js";
import { respondObject } from "../verbs/answer.js";
import { checkName } from "../verbs/check-name.js";
import { objectFormat } from "../verbs/scope.js";
import { trustedUpdate } from "../verbs/trusted-update.js";

/** PUT /api/v1/namespaces/NAME/finalize: sets spec.finalizers; the last one taken off a deleted namespace removes it. */
export async function handleNamespaceFinalize(request: ApiRequest, resource: ServedResource): Promise<void> {
  const format = objectFormat(request.exchange, resource);
  const options = writeOptions(request.exchange.query, "UpdateOptions");
  const { object } = await resource.codec.decode(await readObjectBody(request), options.fieldValidation);
  checkName(object, request.info);
  const wanted = isJsonObject(object["spec"]) ? (object["spec"]["finalizers"] ?? []) : [];
  const stored = await trustedUpdate(request, resource, options.dryRun, (draft) => {
    const version = object.metadata?.resourceVersion ?? "";
    if (version !== "" && draft.metadata !== undefined) draft.metadata.resourceVersion = version;
    draft["spec"] = { ...(isJsonObject(draft["spec"]) ? draft["spec"] : {}), finalizers: wanted };
  });
  await respondObject(request, resource, format, 200, stored);
}

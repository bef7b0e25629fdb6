import { isJsonObject } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { readObjectBody } from "../../endpoints/negotiation/request-body.js";
import { writeOptions } from "../../endpoints/options/write-options.js";
import type { ServedResource } from "../../endpoints/served-resource.js";
import { Admitter } from "../../endpoints/verbs/admitter.js";
import { respondObject } from "../../endpoints/verbs/answer.js";
import { checkName } from "../../endpoints/verbs/update.js";
import { objectFormat } from "../../endpoints/verbs/scope.js";
import { trustedUpdate } from "../../endpoints/verbs/trusted-update.js";
import type { ApiRequest } from "../../request/api-request.js";

/** PUT /api/v1/namespaces/NAME/finalize: sets spec.finalizers; the last one taken off a deleted namespace removes it. */
export async function handleNamespaceFinalize(request: ApiRequest, resource: ServedResource): Promise<void> {
  const format = objectFormat(request.exchange, resource);
  const options = writeOptions(request.exchange.query, "UpdateOptions");
  const { object } = await resource.codec.decode(await readObjectBody(request), options.fieldValidation);
  checkName(object, request.info);
  const wanted = isJsonObject(object["spec"]) ? (object["spec"]["finalizers"] ?? []) : [];
  const change = (draft: KubeObject) => {
    const version = object.metadata?.resourceVersion ?? "";
    if (version !== "" && draft.metadata !== undefined) draft.metadata.resourceVersion = version;
    draft["spec"] = { ...(isJsonObject(draft["spec"]) ? draft["spec"] : {}), finalizers: wanted };
  };
  const admit = new Admitter(request, resource, options.dryRun).update;
  const stored = await trustedUpdate(request, resource, options.dryRun, change, { admit });
  await respondObject(request, resource, format, 200, stored);
}

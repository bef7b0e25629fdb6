import type { ApiRequest } from "../../request/api-request.js";
import type { RequestAudit } from "../../request/request-audit.js";
import type { Getter, Lister } from "../../registry/resource.js";
import type { ServedResource } from "../served-resource.js";
import { step } from "../../../machinery/tracing/request-span.js";
import { asPlainJson, respondObject, serializing } from "./answer.js";
import { objectFormat, scopeOf, includeObject } from "./scope.js";
import { answerInSteps } from "./steps.js";
import { dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type { RequestScope } from "../../registry/scope.js";
import type { ListOfObjects } from "../../storage/store.js";
import { fieldLabelsOf } from "../options/field-labels.js";
import { listOptions, type ListRequestOptions, predicateOf } from "../options/list-options.js";
import { respondParts } from "../representation/body-writer.js";
import { serializerOf } from "../serializers/index.js";
import type { View } from "../serializers/serializer.js";

/** Handles GET of one object, or of its status subresource, whose answer is the same. */
export async function handleGet(request: ApiRequest, resource: ServedResource, storage: Getter): Promise<void> {
  const format = objectFormat(request.exchange, resource);
  const resourceVersion = request.exchange.query.get("resourceVersion") ?? "";
  step("About to Get from storage");
  const stored = await storage.get(scopeOf(request), request.info.name, { resourceVersion });
  await answerInSteps(() => respondObject(request, resource, format, 200, stored));
}

/** Handles GET of a collection. */
export async function handleList(request: ApiRequest, resource: ServedResource, storage: Lister): Promise<void> {
  const format = objectFormat(request.exchange, resource);
  const include = includeObject(request.exchange.query, format);
  const options = listOptions(request, fieldLabelsOf(resource));
  const list = await storage.list(listScope(request, resource, options), storeOptions(request, options));
  await respondList(request, { resource, format, include }, list);
}

/** Sends a list in the requested shape. */
export const respondList = (request: ApiRequest, view: View, list: ListOfObjects): Promise<void> =>
  serializing(request, view.format, () => sendList(request, view, list));

async function sendList(request: ApiRequest, view: View, list: ListOfObjects): Promise<void> {
  const { mediaType } = view.format;
  const conversion = view.resource.codec.prepare(list.items, request);
  if (conversion !== undefined) await conversion;
  const parts = await serializerOf(mediaType).list(view, list, request);
  const { audit } = request;
  await respondParts(
    request,
    { "content-type": mediaType },
    audit?.keepsAnswer === true ? await recordedParts(audit, view, list, parts) : parts,
  );
}

/** The parts of a list whose JSON the audit record has; only a list in another media type is encoded once more for it. */
async function recordedParts(
  audit: RequestAudit,
  view: View,
  list: ListOfObjects,
  parts: Iterable<Uint8Array>,
): Promise<Iterable<Uint8Array>> {
  const { format } = view;
  if (format.mediaType === "application/json") return audit.answeredIn(parts);
  const json = { ...view, format: asPlainJson(format) };
  audit.answered(Buffer.concat([...(await serializerOf("application/json").list(json, list))]));
  return parts;
}

/** The namespace of the request, or the one that its field selector asks for. */
function listScope(request: ApiRequest, { facts }: ServedResource, { fields }: ListRequestOptions): RequestScope {
  const scope = scopeOf(request);
  const selected = fields.requiredValue("metadata.namespace") ?? "";
  const narrower = facts.namespaced && scope.namespace === "" && dns1123LabelErrors(selected).length === 0;
  return narrower ? { ...scope, namespace: selected } : scope;
}

export function storeOptions(request: ApiRequest, options: ListRequestOptions) {
  return {
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch === "" ? undefined : options.resourceVersionMatch,
    limit: options.limit,
    continue: options.continue,
    // A token is a place in the whole list.
    name: options.continue === "" ? options.fields.requiredValue("metadata.name") : undefined,
    predicate: predicateOf(options),
    selectors: options,
    token: request,
  };
}

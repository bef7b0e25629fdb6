import { nextSlice } from "../../../base/time-slice.js";
import { formatFieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { formatGroupVersion } from "../../../machinery/meta/gvk.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { RequestScope } from "../../registry/scope.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Exchange } from "../../request/exchange.js";
import type { AdmitCreate, AdmitDelete, AdmitUpdate } from "../../registry/resource.js";
import { negotiate, offersOf, type ResponseFormat } from "../negotiation/response-format.js";
import type { IncludeObject } from "../serializers/serializer.js";
import type { ServedResource } from "../served-resource.js";

/** A body so long is work that others should not wait for. */
const LONG_BODY = 16 * 1024;

/** `bodyBytes` is how long the body is that the work is done with. */
export function scopeOf(request: ApiRequest, dryRun = false, bodyBytes = 0): RequestScope {
  const { info, user, warnings } = request;
  const apiVersion = formatGroupVersion({ group: info.apiGroup, version: info.apiVersion });
  const pause = bodyBytes > LONG_BODY ? nextSlice : undefined;
  return { user, apiVersion, namespace: info.namespace, warnings, dryRun, pause };
}

/** Objects of every resource can be tables and bare metadata, those of built-in ones protobuf. */
export const objectFormat = (exchange: Exchange, { codec }: ServedResource): ResponseFormat =>
  negotiate(
    exchange,
    offersOf(() => codec.schema),
  );

/** What rides in the rows of a table. Throws 400 for what no table can have; who asks for no table may say what they like. */
export function includeObject(query: URLSearchParams, { shape }: ResponseFormat): IncludeObject {
  const asked = query.get("includeObject") ?? "";
  if (asked === "None" || asked === "Metadata" || asked === "Object") return asked;
  if (asked === "" || shape !== "Table") return "Metadata";
  const detail = "must be 'Metadata', 'Object', 'None', or empty";
  const problem = formatFieldError(invalidValue("includeObject", asked, detail));
  throw badRequest(`Unable to convert to Table as requested: ${problem}`);
}

/** Admission of a request, for the registry to call when the object is known. */
export function admitter(request: ApiRequest, resource: ServedResource, dryRun: boolean) {
  const { info, user } = request;
  const common = {
    group: resource.facts.group,
    resource: resource.facts.name,
    subresource: info.subresource,
    kind: resource.facts.kind,
    namespace: resource.facts.namespaced ? info.namespace : "",
    user,
    dryRun,
  };
  const named = (object: KubeObject) => object.metadata?.name ?? info.name;
  const create: AdmitCreate = (object) =>
    resource.admission({ ...common, operation: "CREATE", name: named(object), object });
  const update: AdmitUpdate = (object, oldObject) =>
    resource.admission({
      ...common,
      operation: oldObject === undefined ? "CREATE" : "UPDATE",
      name: named(object),
      object,
      oldObject,
    });
  const remove: AdmitDelete = (oldObject) =>
    resource.admission({
      ...common,
      namespace: oldObject.metadata?.namespace ?? "",
      operation: "DELETE",
      name: named(oldObject),
      oldObject,
    });
  return { create, update, remove };
}

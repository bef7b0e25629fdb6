import { nextSlice } from "../../../base/async/time-slice.js";
import { formatFieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { formatGroupVersion } from "../../../machinery/meta/gvk.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { RequestScope } from "../../registry/scope.js";
import type { StoredObject } from "../../storage/store.js";
import type { Exchange } from "../../request/exchange.js";
import { isLarge, isLong } from "../negotiation/request-body.js";
import { negotiate, offersOf, type ResponseFormat } from "../negotiation/response-format.js";
import type { IncludeObject } from "../serializers/serializer.js";
import type { ServedResource } from "../served-resource.js";

/** The scope of a request, to which {@link weigh} may add that its work is long. */
export interface EndpointScope extends RequestScope {
  pause?: RequestScope["pause"];
}

/** Makes the scope of a request. `body` is the request's body, if it has one. */
export function scopeOf(request: ApiRequest, dryRun = false, body?: Uint8Array): EndpointScope {
  const { info, user, warnings } = request;
  const apiVersion = formatGroupVersion({ group: info.apiGroup, version: info.apiVersion });
  const pause = body !== undefined && isLong(body) ? nextSlice : undefined;
  return { user, verb: info.verb, apiVersion, namespace: info.namespace, warnings, dryRun, token: request, pause };
}

/** Lets the registry pause during the request if the object that it changes is large. Returns whether it may. */
export function weigh(scope: EndpointScope, current: StoredObject | undefined): boolean {
  if (scope.pause === undefined && current !== undefined && isLarge(current.bytes)) scope.pause = nextSlice;
  return scope.pause !== undefined;
}

/** Negotiates the format of objects: of every resource also as a table or as metadata only, and of built-in ones also as protobuf. */
export const objectFormat = (exchange: Exchange, { codec }: ServedResource): ResponseFormat =>
  negotiate(
    exchange,
    offersOf(() => codec.schema),
  );

/** Returns the part of objects that table rows contain. Throws 400 for an invalid value; in requests for other shapes it is not checked. */
export function includeObject(query: URLSearchParams, { shape }: ResponseFormat): IncludeObject {
  const asked = query.get("includeObject") ?? "";
  if (asked === "None" || asked === "Metadata" || asked === "Object") return asked;
  if (asked === "" || shape !== "Table") return "Metadata";
  const detail = "must be 'Metadata', 'Object', 'None', or empty";
  const problem = formatFieldError(invalidValue("includeObject", asked, detail));
  throw badRequest(`Unable to convert to Table as requested: ${problem}`);
}

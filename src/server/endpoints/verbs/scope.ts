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

/** `body` is what the work is done with, if there is one. */
export function scopeOf(request: ApiRequest, dryRun = false, body?: Uint8Array): EndpointScope {
  const { info, user, warnings } = request;
  const apiVersion = formatGroupVersion({ group: info.apiGroup, version: info.apiVersion });
  const pause = body !== undefined && isLong(body) ? nextSlice : undefined;
  return { user, verb: info.verb, apiVersion, namespace: info.namespace, warnings, dryRun, token: request, pause };
}

/** Lets the registry pause in the work of the request where the object that it changes is large. Answers whether the work is long. */
export function weigh(scope: EndpointScope, current: StoredObject | undefined): boolean {
  if (scope.pause === undefined && current !== undefined && isLarge(current.bytes)) scope.pause = nextSlice;
  return scope.pause !== undefined;
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

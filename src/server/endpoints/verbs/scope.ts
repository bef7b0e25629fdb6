import { nextSlice } from "../../../base/time-slice.js";
import { formatFieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { formatGroupVersion } from "../../../machinery/meta/gvk.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { RequestScope } from "../../registry/scope.js";
import type { Exchange } from "../../request/exchange.js";
import { isLong } from "../negotiation/request-body.js";
import { negotiate, offersOf, type ResponseFormat } from "../negotiation/response-format.js";
import type { IncludeObject } from "../serializers/serializer.js";
import type { ServedResource } from "../served-resource.js";

/** `body` is what the work is done with, if there is one. */
export function scopeOf(request: ApiRequest, dryRun = false, body?: Uint8Array): RequestScope {
  const { info, user, warnings } = request;
  const apiVersion = formatGroupVersion({ group: info.apiGroup, version: info.apiVersion });
  const pause = body !== undefined && isLong(body) ? nextSlice : undefined;
  return { user, verb: info.verb, apiVersion, namespace: info.namespace, warnings, dryRun, token: request, pause };
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

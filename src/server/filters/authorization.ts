import { goQuote } from "../../base/go-quote.js";
import { forbidden } from "../../machinery/errors/status-error.js";
import type { Authorizer, AuthorizerAttributes, Decision } from "../authz/authorizer.js";
import { RequestAttributes } from "../authz/request-attributes.js";
import type { ApiRequest, Filter, Handler } from "../request/api-request.js";

/** Asks the authorizer whether the user may do what the request wants, and refuses with 403 what it does not allow. */
export function authorization(authorize: Authorizer): Filter {
  return (next) => (request) => {
    const attributes = new RequestAttributes(request);
    const found = authorize(attributes);
    if (!(found instanceof Promise)) return obeyed(found, attributes, next, request);
    return found.then((decision) => obeyed(decision, attributes, next, request));
  };
}

async function obeyed(
  { decision, reason = "" }: Decision,
  attributes: AuthorizerAttributes,
  next: Handler,
  request: ApiRequest,
): Promise<void> {
  if (decision !== "allow") throw refusal(attributes, reason);
  return next(request);
}

/** In kube-apiserver's words. */
function refusal(attributes: AuthorizerAttributes, reason: string): Error {
  const { apiGroup: group, resource, subresource, name } = attributes;
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  const text = refusalText(attributes, whole);
  const message = reason === "" ? text : `${text}: ${reason}`;
  return forbidden(attributes.isResourceRequest ? { group, resource } : { group: "", resource: "" }, name, message);
}

function refusalText(
  { user, verb, isResourceRequest, apiGroup, namespace, path }: AuthorizerAttributes,
  resource: string,
): string {
  const who = `User ${goQuote(user.name)} cannot ${verb}`;
  if (!isResourceRequest) return `${who} path ${goQuote(path)}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${goQuote(namespace)}`;
  return `${who} resource ${goQuote(resource)} in API group ${goQuote(apiGroup)} ${where}`;
}

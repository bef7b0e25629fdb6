import { goQuote } from "../../base/go-quote.js";
import { forbidden } from "../../machinery/errors/status-error.js";
import type { Authorizer, AuthorizerAttributes } from "../authz/authorizer.js";
import type { ApiRequest, Filter } from "../request/api-request.js";

/**
 * Asks the authorizer whether the user may do what the request wants, and refuses with 403 what it does not allow. Without an
 * authorizer every user may do everything.
 */
export function authorization(authorize: Authorizer | undefined): Filter {
  if (authorize === undefined) return (next) => next;
  return (next) => async (request) => {
    const attributes = attributesOf(request);
    const { decision, reason = "" } = await authorize(attributes);
    if (decision === "allow") return next(request);
    throw refusal(attributes, reason);
  };
}

function attributesOf({ info, user }: ApiRequest): AuthorizerAttributes {
  const { verb, isResourceRequest, apiGroup, apiVersion, resource, subresource, namespace, name, path } = info;
  return { user, verb, isResourceRequest, apiGroup, apiVersion, resource, subresource, namespace, name, path };
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

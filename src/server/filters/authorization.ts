import type { Authorizer, AuthorizerAttributes, Decision } from "../authz/authorizer.js";
import { refusal } from "../authz/refusal.js";
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
  { decision, reason }: Decision,
  attributes: AuthorizerAttributes,
  next: Handler,
  request: ApiRequest,
): Promise<void> {
  if (decision !== "allow") throw refusal(attributes, reason);
  return next(request);
}

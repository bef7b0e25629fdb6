import type { AuthorizerAttributes } from "../authz/authorizer.js";
import type { User } from "../request/user.js";

/** A plugin's question to the server's authorizers: whether a user may do something with a resource. */
export interface ResourceCheck {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Converts the question into the attributes for authorizers. */
export function checkOf(user: User, check: ResourceCheck): AuthorizerAttributes {
  const { verb, group, version, resource, subresource = "", namespace = "", name = "" } = check;
  return {
    user,
    verb,
    isResourceRequest: true,
    apiGroup: group,
    apiVersion: version,
    resource,
    subresource,
    namespace,
    name,
    path: "",
  };
}

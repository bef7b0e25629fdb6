import type { AuthorizerAttributes } from "../../../src/server/authz/authorizer.js";
import type { User } from "../../../src/server/request/user.js";

export const user = (name: string, ...groups: string[]): User => ({
  name,
  groups: [...groups, "system:authenticated"],
});

const NOTHING = { apiGroup: "", apiVersion: "", resource: "", subresource: "", namespace: "", name: "", path: "" };

/** A request for a resource: "get secrets shop/token", "list pods shop/", "update apps/deployments/status shop/web". */
export function asks(who: User, text: string, more: Partial<AuthorizerAttributes> = {}): AuthorizerAttributes {
  const [verb = "", what = "", where = ""] = text.split(" ");
  const parts = what.split("/");
  const apiGroup = parts[0]?.includes(".") || parts[0] === "apps" ? (parts.shift() ?? "") : "";
  const [resource = "", subresource = ""] = parts;
  const [namespace = "", name = ""] = where.includes("/") ? where.split("/") : ["", where];
  return {
    ...NOTHING,
    user: who,
    verb,
    isResourceRequest: true,
    apiGroup,
    apiVersion: "v1",
    resource,
    subresource,
    namespace,
    name,
    ...more,
  };
}

/** A request for a path that is no resource. */
export const asksPath = (who: User, verb: string, path: string): AuthorizerAttributes => ({
  ...NOTHING,
  user: who,
  verb,
  isResourceRequest: false,
  path,
});

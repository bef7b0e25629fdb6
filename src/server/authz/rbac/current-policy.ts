import type { AuthorizationObjects } from "../authorizer.js";
import type { CachedObject } from "../cached-objects.js";
import { Policy, type PolicyObjects } from "./policy.js";

const GROUP = "rbac.authorization.k8s.io";

/** One for each server, so that the authorizer and the checks of escalation read each object once. */
const policies = new WeakMap<AuthorizationObjects, Policy>();

/**
 * The roles and bindings as the watch cache holds them now, at once. Without a watch cache it lists them from the store: those that
 * apply in `namespace`.
 */
export function currentPolicy(objects: AuthorizationObjects, namespace: string): Policy | Promise<Policy> {
  const clusterRoleBindings = objects.cached.now(GROUP, "clusterrolebindings");
  const roleBindings = objects.cached.now(GROUP, "rolebindings");
  const clusterRoles = objects.cached.now(GROUP, "clusterroles");
  const roles = objects.cached.now(GROUP, "roles");
  if (
    clusterRoleBindings === undefined ||
    roleBindings === undefined ||
    clusterRoles === undefined ||
    roles === undefined
  ) {
    return listedPolicy(objects, namespace);
  }
  const policy = policies.get(objects) ?? new Policy();
  policies.set(objects, policy);
  policy.follow({ clusterRoleBindings, roleBindings, clusterRoles, roles });
  return policy;
}

async function listedPolicy(objects: AuthorizationObjects, namespace: string): Promise<Policy> {
  const list = async (resource: string, within?: string): Promise<readonly CachedObject[]> =>
    (await objects.list(GROUP, resource, within)).map((object) => ({ object: () => object }));
  const inNamespace = async (resource: string) => (namespace === "" ? [] : list(resource, namespace));
  const [clusterRoleBindings, roleBindings, clusterRoles, roles] = await Promise.all([
    list("clusterrolebindings"),
    inNamespace("rolebindings"),
    list("clusterroles"),
    inNamespace("roles"),
  ]);
  const policy = new Policy();
  policy.follow({ clusterRoleBindings, roleBindings, clusterRoles, roles } satisfies PolicyObjects);
  return policy;
}

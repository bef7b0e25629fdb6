import { type PolicyRule, readRules } from "../../../machinery/rbac/policy-rule.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { User } from "../../request/user.js";
import { type Binding, keysOf, readBinding, type RoleRef } from "./binding.js";
import { type CachedObject, CachedObjects, type Kept } from "../cached-objects.js";
import { SubjectIndex } from "./subject-index.js";
import { goQuote } from "../../../base/text/go-quote.js";
import type { AuthorizationObjects } from "../authorizer.js";

/** Receives the rules that apply to a user. */
export interface RuleVisitor {
  /** Ends the visit by returning true. */
  rule(rule: PolicyRule, binding: Binding): boolean;
  /** The binding applies, and its role does not exist. */
  missing(ref: RoleRef): void;
}

/** The objects of the four resources, all of them or those of one namespace. */
interface PolicyObjects {
  readonly clusterRoles: readonly CachedObject[];
  readonly roles: readonly CachedObject[];
  readonly clusterRoleBindings: readonly CachedObject[];
  readonly roleBindings: readonly CachedObject[];
}

/** The roles and bindings of a server, indexed for the lookups of requests. */
export class Policy {
  readonly #rules = new RulesByRole();
  readonly #clusterWide = new SubjectIndex();
  readonly #inNamespaces = new IndexesByNamespace();
  readonly #clusterRoles = new CachedObjects(readRole, this.#rules);
  readonly #roles = new CachedObjects(readRole, this.#rules);
  readonly #clusterRoleBindings = new CachedObjects(readBinding, this.#clusterWide);
  readonly #roleBindings = new CachedObjects(readBinding, this.#inNamespaces);

  follow({ clusterRoles, roles, clusterRoleBindings, roleBindings }: PolicyObjects): void {
    this.#clusterRoles.follow(clusterRoles);
    this.#roles.follow(roles);
    this.#clusterRoleBindings.follow(clusterRoleBindings);
    this.#roleBindings.follow(roleBindings);
  }

  /** Undefined for a role that does not exist. `namespace` is that of the binding. */
  rulesOf(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    if (ref.kind === "ClusterRole") return this.#rules.of("", ref.name);
    return ref.kind === "Role" && namespace !== "" ? this.#rules.of(namespace, ref.name) : undefined;
  }

  /** Visits the rules of cluster role bindings, then those of the namespace's role bindings, which "" has none of. */
  visitRules(user: User, namespace: string, visitor: RuleVisitor): void {
    const subjects = keysOf(user);
    const visit = (binding: Binding): boolean => {
      const rules = this.rulesOf(binding.roleRef, binding.namespace);
      if (rules === undefined) visitor.missing(binding.roleRef);
      return rules?.some((rule) => visitor.rule(rule, binding)) ?? false;
    };
    if (this.#clusterWide.visit(subjects, visit)) return;
    this.#inNamespaces.of(namespace)?.visit(subjects, visit);
  }
}

interface Role {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

function readRole({ metadata, rules }: KubeObject): Role {
  return { namespace: metadata?.namespace ?? "", name: metadata?.name ?? "", rules: readRules(rules) };
}

class RulesByRole implements Kept<Role> {
  readonly #rules = new Map<string, readonly PolicyRule[]>();

  of(namespace: string, name: string): readonly PolicyRule[] | undefined {
    return this.#rules.get(`${namespace}/${name}`);
  }

  add({ namespace, name, rules }: Role): void {
    this.#rules.set(`${namespace}/${name}`, rules);
  }

  remove({ namespace, name }: Role): void {
    this.#rules.delete(`${namespace}/${name}`);
  }
}

class IndexesByNamespace implements Kept<Binding> {
  readonly #indexes = new Map<string, SubjectIndex>();

  of(namespace: string): SubjectIndex | undefined {
    return this.#indexes.get(namespace);
  }

  add(binding: Binding): void {
    const index = this.#indexes.get(binding.namespace) ?? new SubjectIndex();
    this.#indexes.set(binding.namespace, index);
    index.add(binding);
  }

  remove(binding: Binding): void {
    const index = this.#indexes.get(binding.namespace);
    index?.remove(binding);
    if (index?.isEmpty === true) this.#indexes.delete(binding.namespace);
  }
}

/** Where kube-apiserver looks roles up: its authorizer in listers, which name a resource in the singular, its registry in storage. */
type Naming = "singular" | "plural";

/** The error text for a binding whose role has no rules. */
export function unresolvedText({ kind, name }: RoleRef, naming: Naming): string {
  if (kind !== "ClusterRole" && kind !== "Role") return `unsupported role reference kind: ${goQuote(kind)}`;
  const resource = `${kind.toLowerCase()}${naming === "plural" ? "s" : ""}`;
  return `${resource}.rbac.authorization.k8s.io ${goQuote(name)} not found`;
}

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

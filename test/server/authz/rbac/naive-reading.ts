import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import type { AuthorizerAttributes } from "../../../../src/server/authz/authorizer.js";
import type { User } from "../../../../src/server/request/user.js";

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** The rules that hold for a user in a namespace, as the documentation of RBAC says: every object is looked at, nothing is kept. */
export function rulesFor(objects: readonly KubeObject[], user: User, namespace: string): readonly Rule[] {
  return [...objects.filter(({ kind }) => kind === "ClusterRoleBinding"), ...bindingsIn(objects, namespace)]
    .filter((binding) => (binding["subjects"] as Subject[]).some((subject) => isSubject(subject, user, binding)))
    .flatMap((binding) => {
      const { kind, name } = binding["roleRef"] as { kind: string; name: string };
      const within = kind === "Role" ? binding.metadata?.namespace : undefined;
      const role = objects.find(
        (object) => object.kind === kind && object.metadata?.name === name && object.metadata.namespace === within,
      );
      return (role?.["rules"] as Rule[] | undefined) ?? [];
    });
}

const bindingsIn = (objects: readonly KubeObject[], namespace: string): readonly KubeObject[] =>
  objects.filter(({ kind, metadata }) => kind === "RoleBinding" && metadata?.namespace === namespace);

function isSubject({ kind, name, namespace }: Subject, user: User, binding: KubeObject): boolean {
  if (kind === "User") return user.name === name;
  if (kind === "Group") return user.groups.includes(name);
  return user.name === `system:serviceaccount:${namespace ?? binding.metadata?.namespace}:${name}`;
}

export const isAllowed = (objects: readonly KubeObject[], request: AuthorizerAttributes): boolean =>
  rulesFor(objects, request.user, request.namespace).some((rule) => allows(rule, request));

function allows(rule: Rule, request: AuthorizerAttributes): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (!verbs.some((verb) => verb === "*" || verb === request.verb)) return false;
  if (!request.isResourceRequest) {
    return nonResourceURLs.some((url) => {
      let prefix = url;
      while (prefix.endsWith("*")) prefix = prefix.slice(0, -1);
      return prefix === url ? request.path === url : request.path.startsWith(prefix);
    });
  }
  const { apiGroup, resource, subresource, name } = request;
  const wanted = subresource === "" ? [resource] : [`${resource}/${subresource}`, `*/${subresource}`];
  return (
    apiGroups.some((group) => group === "*" || group === apiGroup) &&
    resources.some((one) => one === "*" || wanted.includes(one)) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

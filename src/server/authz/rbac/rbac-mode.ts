import { list, object, objects, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { User } from "../../request/user.js";
import type { AuthorizationContext, AuthorizationMode, AuthorizerAttributes } from "../authorizer.js";

const GROUP = "rbac.authorization.k8s.io";

/** Allows what the roles allow that are bound to a user. */
export function rbacMode(context: AuthorizationContext): AuthorizationMode {
  async function bound(user: User, namespace: string): Promise<KubeObject[]> {
    const { objects: stored } = context;
    const everywhere = await stored.list(GROUP, "clusterrolebindings");
    const here = namespace === "" ? [] : await stored.list(GROUP, "rolebindings", namespace);
    const roles = [...everywhere, ...here]
      .filter((binding) => objects(binding["subjects"]).some((subject) => isSubject(subject, user)))
      .map(({ roleRef, metadata }) => {
        const { kind, name } = object(roleRef);
        return kind === "ClusterRole"
          ? stored.get(GROUP, "clusterroles", "", text(name))
          : stored.get(GROUP, "roles", metadata?.namespace ?? "", text(name));
      });
    return (await Promise.all(roles)).filter((role) => role !== undefined);
  }
  return {
    name: "RBAC",
    authorize: async (attributes) => {
      const rules = (await bound(attributes.user, attributes.namespace)).flatMap((role) => objects(role["rules"]));
      return { decision: rules.some((rule) => allows(rule, attributes)) ? "allow" : "no-opinion" };
    },
  };
}

function isSubject(subject: Readonly<Record<string, unknown>>, { name, groups }: User): boolean {
  if (subject["kind"] === "User") return subject["name"] === name;
  if (subject["kind"] === "Group") return groups.includes(text(subject["name"]));
  return name === `system:serviceaccount:${text(subject["namespace"])}:${text(subject["name"])}`;
}

function allows(rule: Readonly<Record<string, unknown>>, asked: AuthorizerAttributes): boolean {
  const has = (field: string, ...values: string[]) =>
    list(rule[field]).some((one) => one === "*" || values.includes(text(one)));
  if (!has("verbs", asked.verb)) return false;
  if (!asked.isResourceRequest) return has("nonResourceURLs", asked.path);
  const resource = asked.subresource === "" ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const names = list(rule["resourceNames"]);
  return (
    has("apiGroups", asked.apiGroup) && has("resources", resource) && (names.length === 0 || names.includes(asked.name))
  );
}

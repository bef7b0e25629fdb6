import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { ResourceRule } from "../../../api/types/authorization/v1.js";
import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import type { User } from "../../request/user.js";
import type {
  AuthorizationContext,
  AuthorizationMode,
  AuthorizerAttributes,
  Decision,
  NonResourceRights,
  ResourceRights,
  UserRights,
} from "../authorizer.js";
import { type Binding, bindingText, type RoleRef } from "./binding.js";
import { currentPolicy, type Policy, unresolvedText } from "./policy.js";
import type { PolicyRule } from "../../../machinery/rbac/policy-rule.js";
import { withoutTrailing } from "../../../base/text/without-trailing.js";

/** Allows what the user's bindings grant by their roles, and has no opinion on anything else. With a watch cache it decides synchronously. */
export function rbacMode(context: AuthorizationContext): AuthorizationMode {
  const withPolicy = <T>(namespace: string, use: (policy: Policy) => T): T | Promise<T> => {
    const policy = currentPolicy(context.objects, namespace);
    return policy instanceof Promise ? policy.then(use) : use(policy);
  };
  return {
    name: "RBAC",
    authorize: (attributes) => withPolicy(attributes.namespace, (policy) => decide(policy, attributes)),
    rightsOf: (user, namespace) => withPolicy(namespace, (policy) => rightsIn(policy, user, namespace)),
  };
}

function decide(policy: Policy, attributes: AuthorizerAttributes): Decision {
  const { user, namespace } = attributes;
  let source: Binding | undefined;
  const missing: RoleRef[] = [];
  policy.visitRules(user, namespace, {
    rule(rule, binding) {
      if (!ruleAllows(rule, attributes)) return false;
      source = binding;
      return true;
    },
    missing: (ref) => missing.push(ref),
  });
  if (source !== undefined) return { decision: "allow", reason: `RBAC: allowed by ${bindingText(source, user)}` };
  if (missing.length === 0) return NO_OPINION;
  return { decision: "no-opinion", reason: `RBAC: ${aggregateText(missing.map(singularText))}` };
}

const singularText = (ref: RoleRef): string => unresolvedText(ref, "singular");

const NO_OPINION: Decision = { decision: "no-opinion" };

function rightsIn(policy: Policy, user: User, namespace: string): UserRights {
  const resourceRules: ResourceRights[] = [];
  const nonResourceRules: NonResourceRights[] = [];
  const missing: RoleRef[] = [];
  policy.visitRules(user, namespace, {
    rule({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }) {
      if (resources.length > 0) {
        const named = { ...(resourceNames.length > 0 && ({ resourceNames } satisfies FieldsOf<ResourceRule>)) };
        resourceRules.push({
          verbs,
          ...(apiGroups.length > 0 && ({ apiGroups } satisfies FieldsOf<ResourceRule>)),
          resources,
          ...named,
        });
      }
      if (nonResourceURLs.length > 0) nonResourceRules.push({ verbs, nonResourceURLs });
      return false;
    },
    missing: (ref) => missing.push(ref),
  });
  const error = missing.length === 0 ? undefined : aggregateText(missing.map(singularText));
  return { resourceRules, nonResourceRules, incomplete: false, ...(error !== undefined && { error }) };
}

/** The attributes that rules look at. */
type RuledAttributes = Pick<
  AuthorizerAttributes,
  "verb" | "isResourceRequest" | "apiGroup" | "resource" | "subresource" | "name" | "path"
>;

/** True when the rule alone allows the request. */
export function ruleAllows(rule: PolicyRule, attributes: RuledAttributes): boolean {
  if (!hasOrAll(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResourceRequest) return rule.nonResourceURLs.some((url) => urlMatches(url, attributes.path));
  return (
    hasOrAll(rule.apiGroups, attributes.apiGroup) &&
    resourceMatches(rule.resources, attributes.resource, attributes.subresource) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(attributes.name))
  );
}

const hasOrAll = (values: readonly string[], wanted: string): boolean =>
  values.includes("*") || values.includes(wanted);

/** "pods/log" is the subresource of one resource, a star in place of the resource means every resource. */
function resourceMatches(resources: readonly string[], resource: string, subresource: string): boolean {
  if (resources.includes("*")) return true;
  if (subresource === "") return resources.includes(resource);
  return resources.includes(`${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

/** Stars at the end of a URL stand for any rest; elsewhere a star is a character like any other. */
const urlMatches = (url: string, path: string): boolean =>
  url === "*" || url === path || (url.endsWith("*") && path.startsWith(withoutTrailing(url, "*")));

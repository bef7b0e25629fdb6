import type { PolicyRule } from "../../../machinery/rbac/policy-rule.js";
import type { AuthorizerAttributes } from "../authorizer.js";
import { withoutTrailing } from "../../../base/text/without-trailing.js";

/** True when the rule alone allows the request. */
export function ruleAllows(rule: PolicyRule, attributes: AuthorizerAttributes): boolean {
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

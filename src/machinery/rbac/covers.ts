import { breakDown, type PolicyRule } from "./policy-rule.js";

/** The permissions of `wanted` that none of the rules `held` gives, each by itself. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap(breakDown).filter((permission) => !held.some((rule) => covers(rule, permission)));
}

/** `permission` is one of {@link breakDown}. */
function covers(rule: PolicyRule, permission: PolicyRule): boolean {
  return (
    hasAll(rule.verbs, permission.verbs) &&
    hasAll(rule.apiGroups, permission.apiGroups) &&
    permission.resources.every((resource) => coversResource(rule.resources, resource)) &&
    coversNames(rule.resourceNames, permission.resourceNames) &&
    permission.nonResourceURLs.every((url) => rule.nonResourceURLs.some((held) => coversUrl(held, url)))
  );
}

const hasAll = (held: readonly string[], wanted: readonly string[]): boolean =>
  held.includes("*") || wanted.every((one) => held.includes(one));

/** Of subresources a rule may name all of one name, of whatever resource. */
function coversResource(held: readonly string[], resource: string): boolean {
  if (held.includes("*") || held.includes(resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && held.includes(`*${resource.slice(slash)}`);
}

/** A rule without names is for all of them; here a star is a name like any other. */
function coversNames(held: readonly string[], wanted: readonly string[]): boolean {
  if (held.length === 0) return true;
  return wanted.length > 0 && wanted.every((name) => held.includes(name));
}

/** A star at the end stands for whatever follows. */
function coversUrl(held: string, url: string): boolean {
  return held === url || (held.endsWith("*") && url.startsWith(held.replace(/\*+$/, "")));
}

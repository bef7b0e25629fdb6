import { goQuote } from "../../../base/go-quote.js";
import { compareKeys } from "../../../base/key-order.js";
import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { uncovered } from "../../../machinery/rbac/covers.js";
import type { PolicyRule } from "../../../machinery/rbac/policy-rule.js";
import type { User } from "../../request/user.js";
import type { RoleRef } from "./binding.js";
import type { Policy } from "./policy.js";
import { unresolvedText } from "./unresolved-text.js";

/**
 * Undefined when roles give the user all permissions of `rules` in the namespace, "" for the whole cluster. Else the text of the refusal,
 * which lists the permissions that the user lacks.
 */
export function escalationText(
  policy: Policy,
  user: User,
  namespace: string,
  rules: readonly PolicyRule[],
): string | undefined {
  const held: PolicyRule[] = [];
  const missing: RoleRef[] = [];
  policy.visitRules(user, namespace, {
    rule(rule) {
      held.push(rule);
      return false;
    },
    missing: (ref) => missing.push(ref),
  });
  const lacking = uncovered(held, rules);
  if (lacking.length === 0) return undefined;
  const texts = [...new Set(withVerbsTogether(lacking).map(compactText))].sort(compareKeys);
  const attempt = `user ${goQuote(user.name)} (groups=${quoted(user.groups)}) is attempting to grant RBAC permissions not currently held:`;
  const errors = missing.map((ref) => unresolvedText(ref, "plural"));
  const resolution = errors.length === 0 ? "" : `; resolution errors: [${aggregateText(errors)}]`;
  return `${attempt}\n${texts.join("\n")}${resolution}`;
}

/** Single permissions, with those of one resource and name in one rule. */
function withVerbsTogether(permissions: readonly PolicyRule[]): readonly PolicyRule[] {
  const onResources = new Map<string, PolicyRule>();
  const onUrls: PolicyRule[] = [];
  for (const permission of permissions) {
    if (permission.nonResourceURLs.length > 0) {
      onUrls.push(permission);
      continue;
    }
    const key = JSON.stringify([permission.apiGroups, permission.resources, permission.resourceNames]);
    const verbs = [...(onResources.get(key)?.verbs ?? []), ...permission.verbs];
    onResources.set(key, { ...permission, verbs });
  }
  return [...onUrls, ...onResources.values()];
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}` */
function compactText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["NonResourceURLs", nonResourceURLs],
    ["ResourceNames", resourceNames],
    ["Verbs", verbs],
  ];
  const filled = lists.filter(([, values]) => values.length > 0);
  return `{${filled.map(([name, values]) => `${name}:${quoted(values)}`).join(", ")}}`;
}

/** Go's %q of a list. */
const quoted = (values: readonly string[]): string => `[${values.map(goQuote).join(" ")}]`;

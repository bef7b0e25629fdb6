import { append } from "../../../base/collections/append.js";
import { goQuote } from "../../../base/text/go-quote.js";
import type { Steps } from "../../../base/async/steps.js";
import { compareKeys } from "../../../base/collections/key-order.js";
import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { type Missing, missingSteps } from "../../../machinery/rbac/covers.js";
import type { PolicyRule } from "../../../machinery/rbac/policy-rule.js";
import type { User } from "../../request/user.js";
import type { RoleRef } from "./binding.js";
import type { Policy } from "./policy.js";
import { unresolvedText } from "./unresolved-text.js";

/** Permissions that a refusal lists. A role of some kilobytes may lack millions. */
const MOST_LISTED = 1000;
/** Characters of the list. */
const LONGEST_LIST = 64 * 1024;

/**
 * Undefined when roles give the user all permissions of `rules` in the namespace, "" for the whole cluster. Else the text of the refusal,
 * which lists the permissions that the user lacks. In steps.
 */
export function* escalationTextSteps(
  policy: Policy,
  user: User,
  namespace: string,
  rules: readonly PolicyRule[],
): Steps<string | undefined> {
  const held: PolicyRule[] = [];
  const missing: RoleRef[] = [];
  policy.visitRules(user, namespace, {
    rule(rule) {
      held.push(rule);
      return false;
    },
    missing: (ref) => missing.push(ref),
  });
  const lacking = yield* missingSteps(held, rules, MOST_LISTED);
  if (lacking.count === 0) return undefined;
  const attempt = `user ${goQuote(user.name)} (groups=${quoted(user.groups)}) is attempting to grant RBAC permissions not currently held:`;
  const errors = missing.map((ref) => unresolvedText(ref, "plural"));
  const resolution = errors.length === 0 ? "" : `; resolution errors: [${aggregateText(errors)}]`;
  return `${attempt}\n${listText(lacking)}${resolution}`;
}

/** The list as kube-apiserver has it, up to a length. */
function listText({ listed, count }: Missing): string {
  const texts = [...new Set(withVerbsTogether(listed).map(compactText))].sort(compareKeys).join("\n");
  if (texts.length > LONGEST_LIST) return `${texts.slice(0, LONGEST_LIST)}\n... (${count} permissions in all)`;
  return count > listed.length ? `${texts}\n... (${count} permissions in all)` : texts;
}

/** Single permissions, with those of one resource and name in one rule. */
function withVerbsTogether(permissions: readonly PolicyRule[]): readonly PolicyRule[] {
  const onResources = new Map<string, PolicyRule & { readonly verbs: string[] }>();
  const onUrls: PolicyRule[] = [];
  for (const permission of permissions) {
    if (permission.nonResourceURLs.length > 0) {
      onUrls.push(permission);
      continue;
    }
    const key = JSON.stringify([permission.apiGroups, permission.resources, permission.resourceNames]);
    const known = onResources.get(key);
    if (known === undefined) onResources.set(key, { ...permission, verbs: [...permission.verbs] });
    else append(known.verbs, permission.verbs);
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

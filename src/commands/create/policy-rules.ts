import type { Invocation } from "../../cli/command.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { compareKeys } from "../../base/collections/key-order.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";

// What roles and cluster roles have in common: verbs on resources.

export interface RuleResource {
  readonly group: string;
  /** As typed: plural, singular or a short name. */
  readonly resource: string;
  readonly subresource: string;
}

export interface RuleOptions {
  readonly verbs: readonly string[];
  readonly resources: readonly RuleResource[];
  readonly resourceNames: readonly string[];
  readonly mapper: () => Promise<RestMapper>;
  readonly warn: (text: string) => void;
}

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export const ruleFlags: readonly FlagSpec[] = [
  { name: "verb", type: "stringSlice", usage: "What may be done with the resources" },
  { name: "resource", type: "stringSlice", usage: "Resource that the rule is about: resource[.group][/subresource]" },
  {
    name: "resource-name",
    type: "stringArray",
    usage: "Name of an object that the rule is about; repeat it for more. Without one it is about all of them",
  },
];

export function readRuleFlags(flags: Invocation["flags"]): Pick<RuleOptions, "verbs" | "resources" | "resourceNames"> {
  const verbs = flags.strings("verb");
  return {
    verbs: verbs.includes("*") ? ["*"] : [...new Set(verbs)],
    resources: readResources(flags.strings("resource")),
    resourceNames: [...new Set(flags.strings("resource-name"))],
  };
}

/** A lone * stands for everything, and then nothing else counts. */
function readResources(texts: readonly string[]): readonly RuleResource[] {
  const resources: RuleResource[] = [];
  for (const text of texts) {
    if (text === "*") return [{ group: "", resource: "*", subresource: "" }];
    const [path = "", subresource] = cut(text, "/");
    const [resource = "", group] = cut(path, ".");
    resources.push({ group: group ?? "", resource, subresource: subresource ?? "" });
  }
  return resources;
}

function cut(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

const STANDARD_VERBS = new Set(
  "* get delete list create update patch watch proxy deletecollection use bind escalate impersonate".split(" "),
);

/** Verbs that are said of certain resources only, by "resource.group". */
const SPECIAL_VERBS: ReadonlyMap<string, readonly string[]> = new Map([
  ["use", ["podsecuritypolicies.policy", "podsecuritypolicies.extensions"]],
  ["bind", ["roles.rbac.authorization.k8s.io", "clusterroles.rbac.authorization.k8s.io"]],
  ["escalate", ["roles.rbac.authorization.k8s.io", "clusterroles.rbac.authorization.k8s.io"]],
  ["impersonate", ["users.", "serviceaccounts.", "groups.", "userextras.authentication.k8s.io"]],
]);

export function warnOfVerbs({ verbs, warn }: RuleOptions): void {
  for (const verb of verbs) {
    if (!STANDARD_VERBS.has(verb)) warn(`Warning: '${verb}' is not a standard resource verb\n`);
  }
}

/** Throws for a resource the server does not have, and for a verb that is not said of one. */
export async function validateResources({ verbs, resources, mapper }: RuleOptions): Promise<void> {
  for (const asked of resources) {
    if (asked.resource === "") throw new Error("resource must be specified if apiGroup/subresource specified");
    if (asked.resource === "*") return;
    const { resource, group, error } = await lookUp(asked, await mapper());
    const special = verbs.flatMap((verb) => {
      const targets = SPECIAL_VERBS.get(verb);
      return targets === undefined ? [] : [{ verb, fits: targets.includes(`${resource}.${group}`) }];
    });
    const misfit = special.find(({ fits }) => !fits);
    if (misfit !== undefined) throw new Error(`can not perform '${misfit.verb}' on '${resource}' in group '${group}'`);
    if (error !== undefined && special.length === 0) throw error;
  }
}

/** What the server calls the resource; what it does not know stays as it was typed. */
async function lookUp(
  { group, resource }: RuleResource,
  mapper: RestMapper,
): Promise<GroupVersionResource & { readonly error?: unknown }> {
  const typed = { group, version: "", resource };
  try {
    const kind = await mapper.kindFor(typed);
    return (await mapper.mappingFor(kind, kind.version)).resource;
  } catch (error) {
    return { ...typed, error };
  }
}

/** A rule per API group, in the order of their names, then one for `nonResourceUrls` when there are any. */
export async function policyRules(
  { verbs, resources, resourceNames, mapper }: RuleOptions,
  nonResourceUrls: readonly string[] = [],
): Promise<readonly PolicyRule[]> {
  const byGroup = new Map<string, Set<string>>();
  for (const asked of resources) {
    const { group, resource } = await lookUp(asked, await mapper());
    const path = asked.subresource === "" ? resource : `${resource}/${asked.subresource}`;
    byGroup.set(group, (byGroup.get(group) ?? new Set()).add(path));
  }
  const rules: PolicyRule[] = [...byGroup]
    .sort(([a], [b]) => compareKeys(a, b))
    .map(([group, paths]) => ({ verbs, apiGroups: [group], resources: [...paths], resourceNames }));
  if (nonResourceUrls.length > 0) rules.push({ verbs, nonResourceURLs: nonResourceUrls });
  return rules;
}

import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import {
  completeGenerated,
  createGenerated,
  generatedFlags,
  type GeneratedOptions,
  namespacedMetadata,
  requireName,
} from "./generated.js";
import { pairsOf, pairsOfType } from "../../component/flags/pairs.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { compareKeys } from "../../base/collections/key-order.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";

export interface CreateRoleOptions extends GeneratedOptions, RuleOptions {}

export function createRoleCommand(run = runCreateRole): Command {
  return {
    use: "role NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename] [--dry-run=server|client|none]",
    description: "Create a role: what may be done with resources of a namespace.",
    examples: `# Pods may be read
{{program}} create role pod-reader --verb=get --verb=list --verb=watch --resource=pods

# Two pods may be read
{{program}} create role pod-reader --verb=get --resource=pods --resource-name=readablepod --resource-name=anotherpod

# A resource of an API group
{{program}} create role foo --verb=get,list,watch --resource=rs.apps

# A subresource
{{program}} create role foo --verb=get,list,watch --resource=pods,pods/status`,
    flags: [...generatedFlags, ...ruleFlags],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<CreateRoleOptions> {
  const options = {
    ...(await completeGenerated(factory, invocation)),
    ...readRuleFlags(invocation.flags),
    mapper: () => factory.mapper(),
    warn: (text: string) => void factory.streams.err.write(text),
  };
  requireName(options);
  if (options.verbs.length === 0) throw new Error("at least one verb must be specified");
  warnOfVerbs(options);
  if (options.resources.length === 0) throw new Error("at least one resource must be specified");
  await validateResources(options);
  return options;
}

export async function runCreateRole(options: CreateRoleOptions): Promise<void> {
  const object = {
    kind: "Role",
    apiVersion: "rbac.authorization.k8s.io/v1",
    metadata: namespacedMetadata(options),
    rules: await policyRules(options),
  };
  await createGenerated(object, options);
}

export interface CreateClusterRoleOptions extends GeneratedOptions, RuleOptions {
  readonly nonResourceUrls: readonly string[];
  /** Labels of the cluster roles it is made of; empty when it has rules of its own. */
  readonly aggregationRule: Readonly<Record<string, string>>;
}

export function createClusterRoleCommand(run = runCreateClusterRole): Command {
  return {
    use: "clusterrole NAME --verb=verb --resource=resource.group [--resource-name=resourcename] [--dry-run=server|client|none]",
    description: "Create a cluster role: what may be done with resources and URLs of the whole cluster.",
    examples: `# Pods may be read
{{program}} create clusterrole pod-reader --verb=get,list,watch --resource=pods

# Two pods may be read
{{program}} create clusterrole pod-reader --verb=get --resource=pods --resource-name=readablepod --resource-name=anotherpod

# A resource of an API group
{{program}} create clusterrole foo --verb=get,list,watch --resource=rs.apps

# A subresource
{{program}} create clusterrole foo --verb=get,list,watch --resource=pods,pods/status

# A URL that is no resource
{{program}} create clusterrole "foo" --verb=get --non-resource-url=/logs/*

# All that cluster roles with a label allow
{{program}} create clusterrole monitoring --aggregation-rule="rbac.example.com/aggregate-to-monitoring=true"`,
    flags: [
      ...generatedFlags,
      ...ruleFlags,
      { name: "non-resource-url", type: "stringSlice", usage: "URL that the rule is about; * may end it" },
      {
        name: "aggregation-rule",
        ...pairsOfType("mapStringString"),
        usage: "Labels of the cluster roles whose rules it has: key=value",
      },
    ],
    execute: async (factory, invocation) => run(await completeClusterRole(factory, invocation)),
  };
}

async function completeClusterRole(factory: Factory, invocation: Invocation): Promise<CreateClusterRoleOptions> {
  const { flags } = invocation;
  const options = {
    ...(await completeGenerated(factory, invocation)),
    ...readRuleFlags(flags),
    nonResourceUrls: [...new Set(flags.strings("non-resource-url"))],
    aggregationRule: Object.fromEntries(pairsOf(flags.strings("aggregation-rule"))),
    mapper: () => factory.mapper(),
    warn: (text: string) => void factory.streams.err.write(text),
  };
  requireName(options);
  await validate(options);
  return options;
}

async function validate(options: CreateClusterRoleOptions): Promise<void> {
  const { verbs, resources, resourceNames, nonResourceUrls, aggregationRule } = options;
  if (Object.keys(aggregationRule).length > 0) {
    if ([nonResourceUrls, verbs, resources, resourceNames].every((given) => given.length === 0)) return;
    throw new Error("aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames");
  }
  if (verbs.length === 0) throw new Error("at least one verb must be specified");
  if (resources.length === 0 && nonResourceUrls.length === 0) {
    throw new Error("one of resource or nonResourceURL must be specified");
  }
  if (resources.length > 0) {
    warnOfVerbs(options);
    await validateResources(options);
  }
  if (nonResourceUrls.length > 0) validateUrls(nonResourceUrls, verbs);
}

const URL_VERBS = new Set(["*", "get", "post", "put", "delete", "patch", "head", "options"]);

function validateUrls(urls: readonly string[], verbs: readonly string[]): void {
  const badVerb = verbs.find((verb) => !URL_VERBS.has(verb));
  if (badVerb !== undefined) throw new Error(`invalid verb: '${badVerb}' for nonResourceURL`);
  for (const url of urls) {
    if (url === "*") continue;
    if (!url.startsWith("/")) throw new Error("nonResourceURL should start with /");
    if (url.slice(0, -1).includes("*")) {
      throw new Error("nonResourceURL only supports wildcard matches when '*' is at the end");
    }
  }
}

export async function runCreateClusterRole(options: CreateClusterRoleOptions): Promise<void> {
  const { name, aggregationRule, nonResourceUrls } = options;
  const own: Partial<KubeObject> =
    Object.keys(aggregationRule).length === 0
      ? { rules: await policyRules(options, nonResourceUrls) }
      : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregationRule }] } };
  const object = { kind: "ClusterRole", apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name }, ...own };
  await createGenerated(object, options);
}

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

/**
 * Validates the resources of a rule. Throws for one that the server lacks, and for the verbs of RBAC's own (use, bind, escalate,
 * impersonate) on a resource that they are not for; with such a verb a resource need not exist.
 */
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

import type { Command, Invocation } from "../../cli/command.js";
import { pairsOf, pairsOfType } from "../../component/flags/pairs.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { completeGenerated, createGenerated, generatedFlags, type GeneratedOptions, requireName } from "./generated.js";
import {
  policyRules,
  readRuleFlags,
  ruleFlags,
  type RuleOptions,
  validateResources,
  warnOfVerbs,
} from "./policy-rules.js";

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
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<CreateClusterRoleOptions> {
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

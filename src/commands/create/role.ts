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
import {
  policyRules,
  readRuleFlags,
  ruleFlags,
  type RuleOptions,
  validateResources,
  warnOfVerbs,
} from "./policy-rules.js";

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

import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { canonicalizeQuantity } from "../../machinery/text/quantity/quantity.js";
import {
  completeGenerated,
  createGenerated,
  generatedFlags,
  type GeneratedOptions,
  namespacedMetadata,
  requireName,
} from "./generated.js";

export interface CreateQuotaOptions extends GeneratedOptions {
  /** "resource=quantity,..."; "" for none. */
  readonly hard: string;
  /** "scope,..."; "" for none. */
  readonly scopes: string;
}

export function createQuotaCommand(run = runCreateQuota): Command {
  return {
    use: "quota NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none]",
    description: "Create a resource quota: how much of what a namespace may have.",
    examples: `# Limits on many things
{{program}} create quota my-quota --hard=cpu=1,memory=1G,pods=2,services=3,replicationcontrollers=2,resourcequotas=1,secrets=5,persistentvolumeclaims=10

# A limit on what may be pushed aside
{{program}} create quota best-effort --hard=pods=100 --scopes=BestEffort`,
    flags: [
      ...generatedFlags,
      { name: "hard", type: "string", usage: "The limits: resource=quantity, separated by commas" },
      { name: "scopes", type: "string", usage: "Scopes, separated by commas, all of which what is counted must have" },
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<CreateQuotaOptions> {
  const { flags } = invocation;
  const options = await completeGenerated(factory, invocation);
  requireName(options);
  return { ...options, hard: flags.string("hard"), scopes: flags.string("scopes") };
}

export async function runCreateQuota(options: CreateQuotaOptions): Promise<void> {
  const object = {
    kind: "ResourceQuota",
    apiVersion: "v1",
    metadata: namespacedMetadata(options),
    spec: { hard: parseHard(options.hard), scopes: parseScopes(options.scopes) },
  };
  await createGenerated(object, options, "failed to create quota:");
}

function parseHard(spec: string): Readonly<Record<string, string>> {
  const statements = spec === "" ? [] : spec.split(",");
  return Object.fromEntries(
    statements.map((statement) => {
      const [resource = "", value, ...more] = statement.split("=");
      if (value === undefined || more.length > 0) {
        throw new Error(`Invalid argument syntax ${statement}, expected <resource>=<value>`);
      }
      return [resource, canonicalizeQuantity(value)];
    }),
  );
}

function parseScopes(spec: string): readonly string[] {
  const scopes = spec === "" ? [] : spec.split(",");
  if (scopes.includes("")) throw new Error('invalid resource quota scope ""');
  return scopes;
}

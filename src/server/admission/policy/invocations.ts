import { errorMessage } from "../../../base/text/error-message.js";
import type { AdmissionAttributes, EquivalentResource } from "../attributes.js";
import type { AdmissionContext } from "../plugin.js";
import type { Binding } from "./binding.js";
import type { BoundPolicy } from "./configured-policies.js";
import { matchResources } from "./match-resources.js";
import { type Parameter, parametersOf, servedParameterKind } from "./parameters.js";
import type { Policy } from "./policy.js";

/** One policy with one binding and one parameter, for a request that it is for. */
export interface Invocation {
  readonly policy: Policy;
  readonly binding: Binding;
  readonly matched: EquivalentResource;
  readonly parameter: Parameter;
}

/** Why a policy, or one of its bindings, cannot be asked about a request. */
export interface Misconfiguration {
  readonly policy: Policy;
  readonly binding: Binding | undefined;
  readonly message: string;
}

export function misconfiguration(policy: Policy, binding: Binding | undefined, error: unknown): Misconfiguration {
  const what = binding === undefined ? "policy" : "binding";
  const reason = errorMessage(error);
  return { policy, binding, message: `failed to configure ${what}: ${reason}` };
}

/** How a policy is to be asked about a request, binding by binding. What cannot be asked is reported when its turn comes. */
export async function* invocationsOf(
  { policy, bindings }: BoundPolicy,
  attributes: AdmissionAttributes,
  context: AdmissionContext,
  report: (misconfigured: Misconfiguration) => void,
): AsyncGenerator<Invocation> {
  let matched;
  let kind;
  try {
    matched = await matchResources(policy.constraints, attributes, context.objects);
    if (matched === undefined) return;
    kind = servedParameterKind(policy, context);
  } catch (error) {
    report(misconfiguration(policy, undefined, error));
    return;
  }
  for (const binding of bindings) {
    let parameters;
    try {
      const { matchResources: own } = binding;
      if (own !== undefined && (await matchResources(own, attributes, context.objects)) === undefined) continue;
      parameters = await parametersOf(kind, binding, attributes.namespace, context);
    } catch (error) {
      report(misconfiguration(policy, binding, error));
      continue;
    }
    for (const parameter of parameters) yield { policy, binding, matched, parameter };
  }
}

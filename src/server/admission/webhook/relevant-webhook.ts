import type { AdmissionAttributes } from "../attributes.js";
import type { AdmissionObjects } from "../plugin.js";
import type { MatchConditionsOfWebhooks } from "./match-conditions.js";
import { type Invocation, matchRules } from "./match-rules.js";
import { matchesNamespace, matchesObject } from "./match-selectors.js";
import type { Webhook } from "./webhook.js";

/** How a webhook is to be called for a request; undefined when its rules, selectors or conditions leave the request out. */
export async function relevantInvocation(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  objects: AdmissionObjects,
  conditions: MatchConditionsOfWebhooks,
): Promise<Invocation | undefined> {
  const invocation = matchRules(webhook, attributes);
  if (invocation === undefined || !matchesObject(webhook, attributes)) return undefined;
  if (!(await matchesNamespace(webhook, attributes, objects))) return undefined;
  return (await conditions.match(attributes, invocation)) ? invocation : undefined;
}

import type { EquivalentResource, AdmissionAttributes } from "../attributes.js";
import type { Webhook } from "./webhook.js";
import { inOrder } from "../../../base/async/turns.js";
import { matchRules } from "../matching/match-rules.js";
import { matchesNamespace, matchesObject } from "../matching/match-selectors.js";
import type { AdmissionContext } from "../plugin.js";

/** A webhook that a request is for, with the resource and kind that its rules name. */
export interface Invocation extends EquivalentResource {
  readonly webhook: Webhook;
}

/** Prepares the call of a webhook for a request; undefined when its rules, selectors or conditions do not match the request. */
export async function relevantInvocation(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  context: AdmissionContext,
): Promise<Invocation | undefined> {
  const matched = matchRules(webhook.rules, webhook.matchesEquivalents, attributes);
  if (matched === undefined || !matchesObject(webhook, attributes)) return undefined;
  const invocation: Invocation = { webhook, ...matched };
  if (!(await matchesNamespace(webhook, attributes, context.objects))) return undefined;
  if (webhook.matchConditions.length === 0) return invocation;
  const { matchesConditions } = await inOrder(import("./match-conditions.js"));
  return (await matchesConditions(invocation, attributes, context)) ? invocation : undefined;
}

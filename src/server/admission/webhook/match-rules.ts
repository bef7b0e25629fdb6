import type { GroupVersionKind, GroupVersionResource } from "../../../machinery/meta/gvk.js";
import type { AdmissionAttributes } from "../attributes.js";
import type { Rule, Webhook } from "./webhook.js";

/** A webhook that a request is for, with the resource and kind that its rules name. */
export interface Invocation {
  readonly webhook: Webhook;
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
}

type Matched = Pick<AdmissionAttributes, "operation" | "subresource" | "namespace" | "resource">;

/**
 * Finds the rule of a webhook that matches the request; with match policy Equivalent, one that matches the same resource at
 * another version if none matches the request's own. Undefined when the webhook is not for the request.
 */
export function matchRules(webhook: Webhook, attributes: AdmissionAttributes): Invocation | undefined {
  const { resource, kind } = attributes;
  if (webhook.rules.some((rule) => matches(rule, attributes, resource))) return { webhook, resource, kind };
  // A rule that names neither the operation nor "*" matches no version of the resource.
  if (!webhook.matchesEquivalents || !webhook.rules.some((rule) => matchesOperation(rule, attributes)))
    return undefined;
  for (const rule of webhook.rules) {
    const equivalent = attributes.versions.equivalents.find((one) => matches(rule, attributes, one.resource));
    if (equivalent !== undefined) return { webhook, ...equivalent };
  }
  return undefined;
}

function matches(rule: Rule, attributes: Matched, resource: GroupVersionResource): boolean {
  return (
    matchesScope(rule, attributes, resource) &&
    matchesOperation(rule, attributes) &&
    includes(rule.groups, resource.group) &&
    includes(rule.versions, resource.version) &&
    rule.resources.some(
      ({ name, subresource }) =>
        (name === "*" || name === resource.resource) && (subresource === "*" || subresource === attributes.subresource),
    )
  );
}

/** The namespace of a Namespace is its own name, but it is an object of the cluster. */
function matchesScope({ scope }: Rule, { namespace }: Matched, { group, resource }: GroupVersionResource): boolean {
  if (scope === "*") return true;
  const isInNamespace = namespace !== "" && !(group === "" && resource === "namespaces");
  return scope === (isInNamespace ? "Namespaced" : "Cluster");
}

const matchesOperation = ({ operations }: Rule, { operation }: Matched): boolean => includes(operations, operation);

const includes = (items: readonly string[], wanted: string): boolean => items.includes("*") || items.includes(wanted);

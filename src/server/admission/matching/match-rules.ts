import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { NamedRuleWithOperations } from "../../../api/types/admissionregistration/v1.js";
import { list, text } from "../../../machinery/meta/access.js";
import type { GroupVersionResource } from "../../../machinery/meta/gvk.js";
import type { AdmissionAttributes, EquivalentResource } from "../attributes.js";

/** A rule: it selects the requests for a webhook or a policy. */
export interface Rule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  readonly resources: readonly { readonly name: string; readonly subresource: string }[];
  /** "*", "Cluster" or "Namespaced". */
  readonly scope: string;
  /** The names of the objects; none: every object. Webhooks have no names. */
  readonly names: readonly string[];
}

export function ruleOf(rule: FieldsOf<NamedRuleWithOperations>): Rule {
  return {
    operations: list(rule.operations).map(text),
    groups: list(rule.apiGroups).map(text),
    versions: list(rule.apiVersions).map(text),
    resources: list(rule.resources).map((one) => {
      const [name = "", ...subresource] = text(one).split("/");
      return { name, subresource: subresource.join("/") };
    }),
    scope: text(rule.scope) || "*",
    names: list(rule.resourceNames).map(text),
  };
}

type Matched = Pick<AdmissionAttributes, "operation" | "subresource" | "namespace" | "name" | "resource">;

/**
 * Finds the resource and kind by which a rule matches the request: the request's own, or, where rules match equivalents too and none
 * matches that, the same resource at another version. Undefined when no rule matches.
 */
export function matchRules(
  rules: readonly Rule[],
  matchesEquivalents: boolean,
  attributes: AdmissionAttributes,
): EquivalentResource | undefined {
  const { resource, kind } = attributes;
  if (rules.some((rule) => matches(rule, attributes, resource))) return { resource, kind };
  // A rule that names neither the operation nor "*" matches no version of the resource.
  if (!matchesEquivalents || !rules.some((rule) => matchesOperation(rule, attributes))) return undefined;
  for (const rule of rules) {
    const equivalent = attributes.versions.equivalents.find((one) => matches(rule, attributes, one.resource));
    if (equivalent !== undefined) return equivalent;
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
    ) &&
    (rule.names.length === 0 || rule.names.includes(attributes.name))
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

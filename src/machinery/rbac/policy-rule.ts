import { compareKeys } from "../../base/collections/key-order.js";
import { list, objects, type ReadonlyFields, text } from "../meta/access.js";

/** The permissions of a role with every list present: rbac/v1's PolicyRule as Go's type holds it. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

const NOTHING: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

/** Reads the rules of a role, or of the status of a SelfSubjectRulesReview. */
export function readRules(rules: unknown): readonly PolicyRule[] {
  return objects(rules).map(readRule);
}

const texts = (values: unknown): readonly string[] => list(values).map(text);

function readRule(rule: ReadonlyFields): PolicyRule {
  return {
    verbs: texts(rule["verbs"]),
    apiGroups: texts(rule["apiGroups"]),
    resources: texts(rule["resources"]),
    resourceNames: texts(rule["resourceNames"]),
    nonResourceURLs: texts(rule["nonResourceURLs"]),
  };
}

/** Splits a rule into single permissions: a verb on a resource (for one name, if names are given), or on a URL. */
export function breakDown(rule: PolicyRule): readonly PolicyRule[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const names: readonly (readonly string[])[] = resourceNames.length === 0 ? [[]] : resourceNames.map((name) => [name]);
  const onResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((name) => ({
          ...NOTHING,
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames: name,
        })),
      ),
    ),
  );
  const onUrls = nonResourceURLs.flatMap((url) =>
    verbs.map((verb) => ({ ...NOTHING, verbs: [verb], nonResourceURLs: [url] })),
  );
  return [...onResources, ...onUrls];
}

/** Compacts the rules as tables show them: one row for all verbs of a resource, or of one of its names; sorted. */
export function compactRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const others: PolicyRule[] = [];
  const verbsOf = new Map<string, { readonly rule: PolicyRule; readonly verbs: Set<string> }>();
  for (const rule of rules.flatMap(breakDown)) {
    if (rule.nonResourceURLs.length > 0) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const verbs = verbsOf.get(key)?.verbs ?? new Set();
    for (const verb of rule.verbs) verbs.add(verb);
    verbsOf.set(key, { rule, verbs });
  }
  const together = [...verbsOf.values()].map(({ rule, verbs }) => ({ ...rule, verbs: [...verbs] }));
  return [...others, ...together].sort((a, b) => compareKeys(sortText(a), sortText(b)));
}

/** Formats a list as Go does. */
export const goList = (values: readonly string[]): string => `[${values.join(" ")}]`;

/** What Go's type prints of itself, which is what kubectl sorts by. */
const sortText = (rule: PolicyRule): string => fieldsOf(rule).join(",");

function fieldsOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): readonly string[] {
  return [
    `Verbs:${goList(verbs)}`,
    `APIGroups:${goList(apiGroups)}`,
    `Resources:${goList(resources)}`,
    `ResourceNames:${goList(resourceNames)}`,
    `NonResourceURLs:${goList(nonResourceURLs)}`,
  ];
}

/** Formats the rule on one line, as Go's %+v does. */
export const ruleText = (rule: PolicyRule): string => `{${fieldsOf(rule).join(" ")}}`;

/** Formats the first resource and the first group of a rule of {@link compactRules}: "deployments.apps/scale". */
export function resourceText({ resources: [resource], apiGroups: [group = ""] }: PolicyRule): string {
  if (resource === undefined) return "";
  const slash = resource.indexOf("/");
  const [name, subresource] = slash < 0 ? [resource, ""] : [resource.slice(0, slash), resource.slice(slash)];
  return `${name}${group === "" ? "" : `.${group}`}${subresource}`;
}

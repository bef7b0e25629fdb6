import { type FieldError, invalidValue, notSupported, required } from "../../../machinery/errors/field-error.js";
import { dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import { AUDIT_LEVELS, AUDIT_STAGES } from "../audit-event.js";
import type { AuditedResources, AuditPolicy, AuditRule } from "./audit-policy.js";

/** Finds the faults of a policy, in kube-apiserver's words and order. */
export const policyFaults = ({ omitStages, rules }: AuditPolicy): readonly FieldError[] => [
  ...stageFaults(omitStages, "omitStages"),
  ...rules.flatMap((rule, index) => ruleFaults(rule, `rules[${index}]`)),
];

function ruleFaults(rule: AuditRule, path: string): readonly FieldError[] {
  const { nonResourceURLs = [], resources = [], namespaces = [] } = rule;
  const mixesBoth = nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0);
  const field = `${path}.nonResourceURLs`;
  return [
    ...levelFaults(rule.level, `${path}.level`),
    ...nonResourceURLs.flatMap((url, index) => urlFaults(url, `${field}[${index}]`)),
    ...resources.flatMap((group) => resourceFaults(group, `${path}.resources`)),
    ...stageFaults(rule.omitStages, `${path}.omitStages`),
    ...(mixesBoth
      ? [invalidValue(field, nonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs")]
      : []),
  ];
}

function levelFaults(level: string | undefined, path: string): readonly FieldError[] {
  if (level === undefined || level === "") return [required(path)];
  return AUDIT_LEVELS.some((one) => one === level) ? [] : [notSupported(path, level, AUDIT_LEVELS)];
}

function urlFaults(url: string, path: string): readonly FieldError[] {
  if (url === "*") return [];
  return [
    ...(url.startsWith("/") ? [] : [invalidValue(path, url, "non-resource URL rules must begin with a '/' character")]),
    ...(url.slice(0, -1).includes("*")
      ? [invalidValue(path, url, "non-resource URL wildcards '*' must be the final character of the rule")]
      : []),
  ];
}

/** kube-apiserver names no index here. */
function resourceFaults(
  { group = "", resources = [], resourceNames = [] }: AuditedResources,
  path: string,
): readonly FieldError[] {
  const messages = group === "" || group === "*" ? [] : dns1123SubdomainErrors(group);
  return [
    ...(messages.length === 0 ? [] : [invalidValue(`${path}.group`, group, messages.join(","))]),
    ...(resourceNames.length > 0 && resources.length === 0
      ? [invalidValue(`${path}.resourceNames`, resourceNames, "using resourceNames requires at least one resource")]
      : []),
  ];
}

const stageFaults = (stages: readonly string[] = [], path: string): readonly FieldError[] =>
  stages.flatMap((stage, index) =>
    AUDIT_STAGES.some((one) => one === stage)
      ? []
      : [invalidValue(`${path}[${index}]`, stage, `allowed stages are ${AUDIT_STAGES.join(",")}`)],
  );

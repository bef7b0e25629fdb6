import type { AuthorizerAttributes } from "../../authz/authorizer.js";
import type { AuditLevel, AuditStage } from "../audit-event.js";
import type { AuditedResources, AuditPolicy, AuditRule } from "./audit-policy.js";

/** The policy's decision about one request. */
export interface AppliedRule {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

type Matches = (attributes: AuthorizerAttributes) => boolean;

/** The rules of a policy, prepared for matching each request. */
export class PolicyRules {
  readonly #rules: readonly { readonly matches: Matches; readonly applied: AppliedRule }[];
  readonly #none: AppliedRule;

  constructor(policy: AuditPolicy) {
    const applied = ({ level, omitStages = [], omitManagedFields }: AuditRule): AppliedRule => ({
      level,
      omitStages: new Set([...(policy.omitStages ?? []), ...omitStages]),
      omitManagedFields: omitManagedFields ?? policy.omitManagedFields ?? false,
    });
    this.#rules = policy.rules.map((rule) => ({ matches: matcherOf(rule), applied: applied(rule) }));
    this.#none = applied({ level: "None" });
  }

  /** What the first rule says that matches the request; the level None where no rule does. */
  of(attributes: AuthorizerAttributes): AppliedRule {
    return this.#rules.find(({ matches }) => matches(attributes))?.applied ?? this.#none;
  }
}

/** The conditions of a rule, those that tell most at once first. */
function matcherOf(rule: AuditRule): Matches {
  const { users = [], userGroups = [], verbs = [], namespaces = [], resources = [], nonResourceURLs = [] } = rule;
  const conditions: Matches[] = [];
  if (users.length > 0) conditions.push(({ user }) => users.includes(user.name));
  if (userGroups.length > 0) conditions.push(({ user }) => user.groups.some((group) => userGroups.includes(group)));
  if (verbs.length > 0) conditions.push(({ verb }) => verbs.includes(verb));
  if (namespaces.length > 0 || resources.length > 0) {
    conditions.push(({ isResourceRequest }) => isResourceRequest);
    if (namespaces.length > 0) conditions.push(({ namespace }) => namespaces.includes(namespace));
    if (resources.length > 0) conditions.push((asked) => resources.some((group) => matchesGroup(group, asked)));
  } else if (nonResourceURLs.length > 0) {
    conditions.push(
      ({ isResourceRequest, path }) => !isResourceRequest && nonResourceURLs.some((url) => matchesPath(url, path)),
    );
  }
  return (attributes) => conditions.every((matches) => matches(attributes));
}

const matchesPath = (pattern: string, path: string): boolean =>
  pattern === "*" || pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1)));

function matchesGroup(
  { group = "", resources = [], resourceNames = [] }: AuditedResources,
  { apiGroup, resource, subresource, name }: AuthorizerAttributes,
): boolean {
  if (group !== apiGroup && group !== "*") return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
  const wanted = subresource === "" ? resource : `${resource}/${subresource}`;
  return resources.some(
    (one) =>
      one === wanted || one === "*" || one === `${resource}/*` || (subresource !== "" && one === `*/${subresource}`),
  );
}

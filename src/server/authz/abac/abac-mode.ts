import type { User } from "../../request/user.js";
import type {
  Decision,
  AuthorizationMode,
  AuthorizerAttributes,
  NonResourceRights,
  ResourceRights,
} from "../authorizer.js";
import type { AbacPolicy } from "./policy-file.js";
import { withoutTrailing } from "../../../base/text/without-trailing.js";

/** Allows requests that a rule of the policy file allows. The rules are those at the server's start. */
export function abacMode(policies: readonly AbacPolicy[]): AuthorizationMode {
  return {
    name: "ABAC",
    authorize: (attributes) =>
      policies.some((policy) => allows(policy, attributes))
        ? { decision: "allow" }
        : ({ decision: "no-opinion", reason: "No policy matched." } satisfies Decision),
    rightsOf: (user, namespace) => {
      const resourceRules: ResourceRights[] = [];
      const nonResourceRules: NonResourceRights[] = [];
      for (const policy of policies) {
        if (!isSubject(policy, user) || !matches(policy.namespace, namespace)) continue;
        const verbs = policy.readonly ? READING : EVERY_VERB;
        const { apiGroup, resource, nonResourcePath } = policy;
        if (resource !== "") resourceRules.push({ verbs, apiGroups: [apiGroup], resources: [resource] });
        if (nonResourcePath !== "") nonResourceRules.push({ verbs, nonResourceURLs: [nonResourcePath] });
      }
      return { resourceRules, nonResourceRules, incomplete: false };
    },
  };
}

const READING = ["get", "list", "watch"];
const EVERY_VERB = ["*"];

function allows(policy: AbacPolicy, attributes: AuthorizerAttributes): boolean {
  if (!isSubject(policy, attributes.user)) return false;
  if (policy.readonly && !READING.includes(attributes.verb)) return false;
  return attributes.isResourceRequest ? allowsResource(policy, attributes) : allowsPath(policy, attributes.path);
}

/** A rule without a user and a group matches no user. One with both matches that user while it is in that group. */
function isSubject({ user, group }: AbacPolicy, { name, groups }: User): boolean {
  if (user === "" && group === "") return false;
  return (user === "" || matches(user, name)) && (group === "" || group === "*" || groups.includes(group));
}

function allowsResource(policy: AbacPolicy, { namespace, resource, apiGroup }: AuthorizerAttributes): boolean {
  return (
    matches(policy.namespace, namespace) && matches(policy.resource, resource) && matches(policy.apiGroup, apiGroup)
  );
}

/** A path, or with a "*" at its end all that begin with it. */
function allowsPath({ nonResourcePath: allowed }: AbacPolicy, path: string): boolean {
  if (allowed === path) return true;
  return allowed.endsWith("*") && path.startsWith(withoutTrailing(allowed, "*"));
}

const matches = (allowed: string, value: string): boolean => allowed === "*" || allowed === value;

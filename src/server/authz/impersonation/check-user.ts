import { goQuote } from "../../../base/text/go-quote.js";
import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { formatFieldError } from "../../../machinery/errors/field-error.js";
import { domainPrefixedPathErrors } from "../../../machinery/validation/names.js";
import type { User } from "../../request/user.js";
import type { AuthorizerAttributes } from "../authorizer.js";
import { refusal } from "../refusal.js";
import { nodeOf, serviceAccountOf, type WantedUser, withAuthenticationGroup } from "./wanted-user.js";

/** Resolves when the authorizers allow the action; else throws Forbidden. */
export type Require = (attributes: AuthorizerAttributes) => Promise<void>;

/** The verb that users, groups, uids and extra values are impersonated by, and whether the rules of the constrained form hold. */
export interface ImpersonationVerb {
  readonly verb: string;
  readonly constrained: boolean;
}

const AUTHENTICATION = "authentication.k8s.io";
/** From this many groups or extra values on, the constrained form first asks for all of them at once. */
const MANY = 4;

/**
 * Asks the authorizers for each part of the wanted user, in kube-apiserver's order: name, uid, groups, extra. Returns the
 * impersonated user: a service account without groups gets the groups of its kind and, in the constrained form, so does a node.
 */
export async function checkUser(
  requestor: User,
  wanted: WantedUser,
  { verb, constrained }: ImpersonationVerb,
  required: Require,
): Promise<User> {
  const group = constrained ? AUTHENTICATION : "";
  const asked = (apiGroup: string, resource: string, name: string, more: Partial<AuthorizerAttributes> = {}) => ({
    user: requestor,
    verb,
    isResourceRequest: true,
    apiGroup,
    apiVersion: "v1",
    resource,
    subresource: "",
    namespace: "",
    name,
    path: "",
    ...more,
  });
  const node = constrained ? nodeOf(wanted.name) : undefined;
  const account = serviceAccountOf(wanted.name);
  if (account !== undefined) {
    await required(asked(group, "serviceaccounts", account.name, { namespace: account.namespace }));
  } else if (node === undefined) await required(asked(group, "users", wanted.name));
  else await required(asked(group, "nodes", node));
  if (wanted.uid !== undefined) await required(asked(AUTHENTICATION, "uids", wanted.uid));
  await checkGroups();
  await checkExtra();
  return withAuthenticationGroup({ ...wanted, groups: groupsOf(wanted, node, account?.namespace) });

  async function checkGroups(): Promise<void> {
    const { groups } = wanted;
    if (constrained) {
      if (groups.includes("")) {
        throw refusal(asked(group, "groups", ""), "impersonating the empty string group is not allowed");
      }
      if (groups.includes(MASTERS)) {
        throw refusal(asked(group, "groups", MASTERS), "impersonating the system:masters group is not allowed");
      }
      if (groups.length >= MANY && (await isAllowed(required(asked(group, "groups", "*"))))) return;
    }
    for (const name of groups) await required(asked(group, "groups", name));
  }

  async function checkExtra(): Promise<void> {
    const values = Object.entries(wanted.extra).flatMap(([key, list]) => list.map((value) => ({ key, value })));
    if (constrained) {
      const problem = extraProblem(wanted);
      if (problem !== undefined) throw refusal(asked(AUTHENTICATION, "userextras", ""), problem);
      const all = asked(AUTHENTICATION, "userextras", "*", { subresource: "*" });
      if (values.length >= MANY && (await isAllowed(required(all)))) return;
    }
    for (const { key, value } of values) {
      await required(asked(AUTHENTICATION, "userextras", value, { subresource: key }));
    }
  }
}

const MASTERS = "system:masters";

function groupsOf({ groups }: WantedUser, node: string | undefined, namespace: string | undefined): readonly string[] {
  if (node !== undefined) return ["system:nodes"];
  if (groups.length > 0 || namespace === undefined) return groups;
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

function extraProblem({ extra }: WantedUser): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === "") return "impersonating the empty string key in extra is not allowed";
    const errors = domainPrefixedPathErrors(key, "extra.key").map(formatFieldError);
    if (errors.length > 0) return `impersonating an invalid key in extra is not allowed: ${aggregateText(errors)}`;
    if (key !== key.toLowerCase()) {
      return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
    }
    if (values.includes("")) return "impersonating the empty string value in extra is not allowed";
  }
  return undefined;
}

const isAllowed = (required: Promise<void>): Promise<boolean> =>
  required.then(
    () => true,
    () => false,
  );

import { Lru } from "../../../base/collections/lru.js";
import type { User } from "../../request/user.js";
import type { Authorizer, AuthorizerAttributes } from "../authorizer.js";
import { refusal } from "../refusal.js";
import { type Require, checkUser } from "./check-user.js";
import { type WantedUser, nodeOf, serviceAccountOf, hasOnlyName } from "./wanted-user.js";
import { compareKeys } from "../../../base/collections/key-order.js";

/**
 * One way to act as another user. It returns undefined for a user that it does not apply to, and throws Forbidden when the authorizers
 * do not allow it.
 */
interface ImpersonationMode {
  /** What the audit event of a request names as the constraint: the verb of the right; "" for the right to act as the user whatever the request is. */
  readonly constraint: string;
  try(request: AuthorizerAttributes, wanted: WantedUser, required: Require): Promise<User> | undefined;
}

/** A mode asks for two rights: to act as the user, and to make this request while doing so. */
function constrained(
  name: string,
  applies: (wanted: WantedUser, requestor: User) => boolean,
  seen: (attributes: AuthorizerAttributes) => AuthorizerAttributes = (attributes) => attributes,
): ImpersonationMode {
  const constraint = `impersonate:${name}`;
  return {
    constraint,
    try(request, wanted, required) {
      if (!applies(wanted, request.user)) return undefined;
      const check = async () => {
        await required(seen(withVerb(request, `impersonate-on:${name}:${request.verb}`)));
        const verb = { verb: constraint, constrained: true };
        return checkUser(request.user, wanted, verb, (attributes) => required(seen(attributes)));
      };
      return check();
    },
  };
}

const associatedNode = constrained(
  "associated-node",
  (wanted, requestor) => {
    const node = nodeOf(wanted.name);
    if (node === undefined || !hasOnlyName(wanted) || serviceAccountOf(requestor.name) === undefined) return false;
    const [name, ...more] = requestor.extra?.["authentication.kubernetes.io/node-name"] ?? [];
    return name === node && more.length === 0;
  },
  asAnyNode,
);

/** Whichever node the service account's pod is on, the authorizers see the same: a right to act as one's node is for all nodes. */
function asAnyNode(attributes: AuthorizerAttributes): AuthorizerAttributes {
  const { user, verb } = attributes;
  const keys = Object.keys(user.extra ?? {}).sort(compareKeys);
  const extra = { "authentication.kubernetes.io/associated-node-keys": keys };
  return {
    ...copyOf(attributes),
    user: { ...user, extra },
    ...(verb === "impersonate:associated-node" && { name: "*" }),
  };
}

/** The attributes of a request are getters, which spreading leaves out. */
function copyOf(attributes: AuthorizerAttributes): AuthorizerAttributes {
  const { user, verb, isResourceRequest, apiGroup, apiVersion, resource, subresource, namespace, name, path } =
    attributes;
  const { fieldSelector, labelSelector } = attributes;
  const asked = { user, verb, isResourceRequest, apiGroup, apiVersion, resource, subresource, namespace, name, path };
  return { ...asked, fieldSelector, labelSelector };
}

const withVerb = (attributes: AuthorizerAttributes, verb: string): AuthorizerAttributes => ({
  ...copyOf(attributes),
  verb,
});

const arbitraryNode = constrained(
  "arbitrary-node",
  (wanted) => hasOnlyName(wanted) && nodeOf(wanted.name) !== undefined,
);

const serviceAccount = constrained(
  "serviceaccount",
  (wanted) => hasOnlyName(wanted) && serviceAccountOf(wanted.name) !== undefined,
);

const userInfo = constrained(
  "user-info",
  ({ name }) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined,
);

/** The right to act as a user whatever the request is. */
const unconstrained: ImpersonationMode = {
  constraint: "",
  try: ({ user }, wanted, required) => checkUser(user, wanted, { verb: "impersonate", constrained: false }, required),
};

/** In the order in which kube-apiserver tries them. */
const impersonationModes: readonly ImpersonationMode[] = [
  associatedNode,
  arbitraryNode,
  serviceAccount,
  userInfo,
  unconstrained,
];

/** Returns the user as whom the request continues; throws Forbidden when no mode allows the caller to act as the wanted user. */
export type Impersonate = (
  request: AuthorizerAttributes,
  wanted: WantedUser,
) => Promise<{ readonly user: User; readonly constraint: string }>;

/** How many users the impersonator remembers the mode of. */
const REMEMBERED = 10_000;

/**
 * Tries the modes in their order, so that a request goes on as the same user whatever was asked before. A refusal is that of the mode that
 * last let the caller act as another user, else that of the first mode that applied. The authorizers are asked at each request: a right
 * that is taken away counts at once.
 */
export function impersonator(authorize: Authorizer): Impersonate {
  const lastModes = new Lru<string, ImpersonationMode>(REMEMBERED);
  const required = requiring(authorize);
  return async (request, wanted) => {
    const refusals = new Map<ImpersonationMode, unknown>();
    for (const mode of impersonationModes) {
      try {
        const user = await mode.try(request, wanted, required);
        if (user === undefined) continue;
        lastModes.set(request.user.name, mode);
        return { user, constraint: mode.constraint };
      } catch (error) {
        refusals.set(mode, error);
      }
    }
    const last = lastModes.get(request.user.name);
    const [first] = refusals.values();
    throw (last && refusals.get(last)) ?? first;
  };
}

function requiring(authorize: Authorizer): Require {
  return async (attributes) => {
    const { decision, reason = "", error } = await authorize(attributes);
    if (decision === "allow") return;
    throw refusal(attributes, [error, reason].filter((text) => text !== undefined && text !== "").join(": "));
  };
}

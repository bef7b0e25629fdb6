import type { Release } from "../../api/facts/index.js";
import { append } from "../../base/collections/append.js";
import type { Clock } from "../../base/time/clock.js";
import { aggregateText } from "../../machinery/errors/aggregate-text.js";
import type { FieldRequirement } from "../../machinery/selectors/field-selector.js";
import type { LabelRequirement } from "../../machinery/selectors/label-selector.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { User } from "../request/user.js";
import { own } from "../../base/collections/own.js";

/** The attributes of a request for an authorizer. For a path that is not a resource, only verb and path are set. */
export interface AuthorizerAttributes {
  readonly user: User;
  /** "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"; of other paths the method in lower case. */
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The raw path, percent-encoded. */
  readonly path: string;
  /** What the selector of a list, watch or deletecollection requires; undefined for none, and for one that cannot be parsed. */
  readonly fieldSelector?: readonly FieldRequirement[] | undefined;
  /** As {@link fieldSelector}. */
  readonly labelSelector?: readonly LabelRequirement[] | undefined;
  /** Aborts when the request ends: an authorizer that asks another server need not wait longer. Undefined for one that has no end. */
  readonly signal?: AbortSignal | undefined;
}

/** "no-opinion" leaves the request to the next authorizer. */
export interface Decision {
  readonly decision: "allow" | "deny" | "no-opinion";
  /** Is shown to a client that is refused. */
  readonly reason?: string;
  /** Why the authorizer could not look at everything: a role that a binding names does not exist. Reviews show it. */
  readonly error?: string;
}

export type Authorizer = (attributes: AuthorizerAttributes) => Decision | Promise<Decision>;

/** Rights to objects, as SelfSubjectRulesReview has them. */
export interface ResourceRights {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface NonResourceRights {
  readonly verbs: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** The known rights of a user in a namespace. */
export interface UserRights {
  readonly resourceRules: readonly ResourceRights[];
  readonly nonResourceRules: readonly NonResourceRights[];
  /** True where the user may have more rights than these. */
  readonly incomplete: boolean;
  /** Why they are incomplete. */
  readonly error?: string;
}

export type RightsOf = (user: User, namespace: string) => UserRights | Promise<UserRights>;

/** One authorizer of a server's chain. */
export interface AuthorizationMode {
  /** "Node", "RBAC", or the name of its entry in an AuthorizationConfiguration. */
  readonly name: string;
  readonly authorize: Authorizer;
  /** Left out: it cannot list what users may do. */
  readonly rightsOf?: RightsOf;
}

/** The parts of the server that authorizers may use. */
export interface AuthorizationContext {
  /** The version of Kubernetes that the server is. */
  readonly release: Release;
  readonly objects: AuthorizationObjects;
  readonly clock: Clock;
}

/** Reads roles, bindings, pods in their hub's shape. They must not be changed. */
export interface AuthorizationObjects {
  /** Lists a resource in all namespaces or in one, as the storage has it now. */
  list(group: string, resource: string, namespace?: string): Promise<readonly KubeObject[]>;
  /** Returns undefined when the object does not exist. */
  get(group: string, resource: string, namespace: string, name: string): Promise<KubeObject | undefined>;
  readonly cached: {
    /**
     * All objects of a resource as the watch cache holds them now, in key order and not parsed yet; undefined where there is no
     * cache. None of a built-in resource that runtimeConfig turned off; throws for any other that is not served: the request is
     * then answered 500. It is the same list until one of the objects changes, and an object that has not changed is the same in the next list.
     */
    now(group: string, resource: string): readonly { readonly revision: number; object(): KubeObject }[] | undefined;
  };
}

/** The whole chain of a server's authorizers, which filters, reviews and admission call. */
export interface Authorization {
  readonly authorize: Authorizer;
  readonly rightsOf: RightsOf;
}

/** Allows everything to members of the group system:masters. As in kube-apiserver, their list of rights shows only what roles grant them. */
export const privilegedGroup: AuthorizationMode = {
  name: "SystemMasters",
  authorize: ({ user }) => ({ decision: isPrivileged(user) ? "allow" : "no-opinion" }),
  rightsOf: () => NOTHING,
};

/** Whether a user needs no checks of rights: a member of system:masters. The server's own requests are from such a member. */
export const isPrivileged = ({ groups }: User): boolean => groups.includes("system:masters");

/** Allows everything to every user. */
export const alwaysAllow: AuthorizationMode = {
  name: "AlwaysAllow",
  authorize: () => ({ decision: "allow" }),
  rightsOf: () => EVERYTHING,
};

const EVERYTHING: UserRights = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  incomplete: false,
};

const NOTHING: UserRights = { resourceRules: [], nonResourceRules: [], incomplete: false };

/** The first mode with an opinion decides. Without any opinion the decision is "no-opinion", with all their reasons. */
export function chainOf(modes: readonly AuthorizationMode[]): Authorization {
  return { authorize: union(modes.map(({ authorize }) => authorize)), rightsOf: rightsOfAll(modes) };
}

/** An answer that is there at once stays so: most requests wait for no authorizer. */
function union(authorizers: readonly Authorizer[]): Authorizer {
  const from = (first: number, attributes: AuthorizerAttributes, noted: Noted): Decision | Promise<Decision> => {
    for (let index = first; index < authorizers.length; index++) {
      const found = authorizers[index]?.(attributes) ?? { decision: "no-opinion" };
      if (found instanceof Promise) {
        return found.then((decision) => decided(decision, noted) ?? from(index + 1, attributes, noted));
      }
      const end = decided(found, noted);
      if (end !== undefined) return end;
    }
    return {
      decision: "no-opinion",
      reason: noted.reasons.join("\n"),
      ...(noted.errors.length > 0 && { error: aggregateText(noted.errors) }),
    };
  };
  return (attributes) => from(0, attributes, { reasons: [], errors: [] });
}

/** What authorizers without an opinion said. */
interface Noted {
  readonly reasons: string[];
  readonly errors: string[];
}

function decided(decision: Decision, { reasons, errors }: Noted): Decision | undefined {
  if (decision.decision !== "no-opinion") return decision;
  if (decision.reason !== undefined && decision.reason !== "") reasons.push(decision.reason);
  if (decision.error !== undefined) errors.push(decision.error);
  return undefined;
}

function rightsOfAll(modes: readonly AuthorizationMode[]): RightsOf {
  return async (user, namespace) => {
    const resourceRules: ResourceRights[] = [];
    const nonResourceRules: NonResourceRights[] = [];
    const errors: string[] = [];
    let incomplete = false;
    for (const { name, rightsOf } of modes) {
      if (rightsOf === undefined) {
        incomplete = true;
        errors.push(`${name} authorizer does not support user rule resolution`);
        continue;
      }
      const rights = await rightsOf(user, namespace);
      append(resourceRules, rights.resourceRules);
      append(nonResourceRules, rights.nonResourceRules);
      incomplete ||= rights.incomplete;
      if (rights.error !== undefined) errors.push(rights.error);
    }
    return { resourceRules, nonResourceRules, incomplete, ...(errors.length > 0 && { error: aggregateText(errors) }) };
  };
}

/** Allows nothing to any user; another authorizer of the chain may allow it. */
export const alwaysDeny: AuthorizationMode = {
  name: "AlwaysDeny",
  authorize: () => ({ decision: "no-opinion", reason: "Everything is forbidden." }) satisfies Decision,
  rightsOf: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
};

const PROBES = /^\/(?:healthz|livez|readyz)(?:\/|$)/;

/**
 * Allows probes of a server that is not ready: the roles that allow them are among what it still makes. Afterwards it leaves them to
 * the other authorizers.
 */
export function probesUntil(ready: () => boolean): AuthorizationMode {
  return {
    name: "Probes",
    authorize: ({ verb, isResourceRequest, path }) => ({
      decision: !isResourceRequest && verb === "get" && !ready() && PROBES.test(path) ? "allow" : "no-opinion",
    }),
    rightsOf: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}

/** The authorizers of a server of which there can be only one per type: those that were configured when it started. */
export type FixedModes = Readonly<Partial<Record<string, AuthorizationMode>>>;

/** The authorizer of a type that is no webhook. Throws for one that `fixed` does not have. */
export function fixedMode(type: string, fixed: FixedModes): AuthorizationMode {
  if (type === "AlwaysAllow") return alwaysAllow;
  if (type === "AlwaysDeny") return alwaysDeny;
  const mode = own(fixed, type);
  if (mode !== undefined) return mode;
  throw new Error(`authorizer type ${type} is not allowed if it was not enabled at initial server startup`);
}

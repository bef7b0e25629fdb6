import type { User } from "../request/user.js";

/** What a request wants to do, as an authorizer sees it. Of a path that is no resource, only verb and path are set. */
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
}

/** "no-opinion" leaves the request to the next authorizer. */
export interface Decision {
  readonly decision: "allow" | "deny" | "no-opinion";
  /** Is shown to a client that is refused. */
  readonly reason?: string;
}

export type Authorizer = (attributes: AuthorizerAttributes) => Decision | Promise<Decision>;

/** The members of the group system:masters may do everything. */
export const privilegedGroup: Authorizer = ({ user }) => ({
  decision: user.groups.includes("system:masters") ? "allow" : "no-opinion",
});

/** The first authorizer with an opinion decides. Without any opinion the decision is "no-opinion", with all their reasons. */
export function union(authorizers: readonly Authorizer[]): Authorizer {
  return async (attributes) => {
    const reasons: string[] = [];
    for (const authorizer of authorizers) {
      const found = authorizer(attributes);
      const { decision, reason = "" } = found instanceof Promise ? await found : found;
      if (decision !== "no-opinion") return { decision, reason };
      if (reason !== "") reasons.push(reason);
    }
    return { decision: "no-opinion", reason: reasons.join("\n") };
  };
}

/** Of the authorizers that a server is given; undefined where it is given none, and every user may do everything. */
export function serverAuthorizer(authorizers: readonly Authorizer[]): Authorizer | undefined {
  return authorizers.length === 0 ? undefined : union([privilegedGroup, ...authorizers]);
}

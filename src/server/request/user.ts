import type { CancellationToken } from "../../base/async/cancellation.js";

/** The caller. After authentication `groups` holds system:authenticated or system:unauthenticated. */
export interface User {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

export const ANONYMOUS: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/**
 * Adds the group system:authenticated. Leaves the anonymous user and users in system:unauthenticated as they are: a front proxy passes
 * those on, whom it has not authenticated.
 */
export function authenticated(user: User): User {
  const { name, groups } = user;
  const isSettled = groups.includes("system:authenticated") || groups.includes("system:unauthenticated");
  if (isSettled || name === ANONYMOUS.name) return user;
  return { ...user, groups: [...groups, "system:authenticated"] };
}

/** The result of authentication: the caller, and warnings about its credentials. */
export interface AuthenticatedUser extends User {
  /** Sent back as headers Warning. */
  readonly warnings?: readonly string[];
  /** For the request's audit event. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The user of a token and the requested audiences for which it is valid. Without `audiences` it is valid for all of them. */
export interface AuthenticatedToken extends AuthenticatedUser {
  readonly audiences?: readonly string[];
}

/**
 * Looks up the user of a bearer token; undefined for an unknown token. The token must be valid for one of `audiences`, by
 * default the API's own. Throws {@link InvalidTokenError} for a known token that is no longer valid. A call to another process ends when
 * `request` is cancelled.
 */
export type TokenLookup = (
  token: string,
  audiences?: readonly string[],
  request?: CancellationToken,
) => Promise<AuthenticatedToken | undefined>;

/** The reason why a token is rejected. Its text holds no token. */
export class InvalidTokenError extends Error {
  override readonly name = "InvalidTokenError";
}

/** The result of several lookups for one token. */
export interface TokenVerdict {
  /** Its `audiences` are those of the requested ones that the token is good for. */
  readonly user?: AuthenticatedToken;
  /** Why the token is wrong, by each lookup that knew it. */
  readonly reasons: readonly string[];
}

/** Asks a server's lookups in turn. Without `audiences` the token must be valid for the API itself. */
export type TokenUnion = (
  token: string,
  audiences?: readonly string[],
  request?: CancellationToken,
) => Promise<TokenVerdict>;

const NODE_PREFIX = "system:node:";

/** The node of a kubelet's user; undefined for other users. It is "" where the user's name is the prefix alone. */
export function nodeOf({ name, groups }: User): string | undefined {
  return name.startsWith(NODE_PREFIX) && groups.includes("system:nodes") ? name.slice(NODE_PREFIX.length) : undefined;
}

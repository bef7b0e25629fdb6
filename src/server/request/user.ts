/** Who asks. `groups` always holds system:authenticated or system:unauthenticated once authentication is done. */
export interface User {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

export const ANONYMOUS: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** Adds system:authenticated, which every authenticator's answer carries. */
export function authenticated(user: User): User {
  if (user.groups.includes("system:authenticated")) return user;
  return { ...user, groups: [...user.groups, "system:authenticated"] };
}

/** Whose a token is, and for which of the audiences that were asked for; without any, it is good for all of them. */
export interface AuthenticatedToken extends User {
  readonly audiences?: readonly string[];
}

/**
 * Says whose a bearer token is; undefined when it is nobody's. `audiences` must have one the token is meant for; left out:
 * the API's own. Throws {@link InvalidTokenError} for a token that it knows and that is no longer good.
 */
export type TokenLookup = (token: string, audiences?: readonly string[]) => Promise<AuthenticatedToken | undefined>;

/** Why a token is not believed. */
export class InvalidTokenError extends Error {
  override readonly name = "InvalidTokenError";
}

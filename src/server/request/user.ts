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

/** Says whose a bearer token is; undefined when it is nobody's. */
export type TokenLookup = (token: string) => Promise<User | undefined>;

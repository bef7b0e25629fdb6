import type { User } from "../../request/user.js";

/** The user that a request asks to act as, as its headers name it. */
export interface WantedUser extends User {
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export const hasOnlyName = ({ uid, groups, extra }: WantedUser): boolean =>
  uid === undefined && groups.length === 0 && Object.keys(extra).length === 0;

const UNAUTHENTICATED = "system:unauthenticated";
const AUTHENTICATED = "system:authenticated";

/** The user with the group that says whether it is authenticated. One in system:unauthenticated is not authenticated as well. */
export function withAuthenticationGroup(user: User): User {
  if (user.name === "system:anonymous") return inGroup(user, UNAUTHENTICATED);
  return user.groups.includes(UNAUTHENTICATED) ? user : inGroup(user, AUTHENTICATED);
}

const inGroup = (user: User, group: string): User =>
  user.groups.includes(group) ? user : { ...user, groups: [...user.groups, group] };

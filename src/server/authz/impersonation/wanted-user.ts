import type { User } from "../../request/user.js";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../machinery/validation/names.js";

/** The user that a request's headers ask to impersonate. */
export interface WantedUser extends User {
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export const hasOnlyName = ({ uid, groups, extra }: WantedUser): boolean =>
  uid === undefined && groups.length === 0 && Object.keys(extra).length === 0;

const UNAUTHENTICATED = "system:unauthenticated";
const AUTHENTICATED = "system:authenticated";

/** Adds the group that states whether the user is authenticated. A user in system:unauthenticated is not put into system:authenticated, too. */
export function withAuthenticationGroup(user: User): User {
  if (user.name === "system:anonymous") return inGroup(user, UNAUTHENTICATED);
  return user.groups.includes(UNAUTHENTICATED) ? user : inGroup(user, AUTHENTICATED);
}

const inGroup = (user: User, group: string): User =>
  user.groups.includes(group) ? user : { ...user, groups: [...user.groups, group] };

/** "system:serviceaccount:NAMESPACE:NAME"; undefined for every other name. */
export function serviceAccountOf(userName: string): { readonly namespace: string; readonly name: string } | undefined {
  const [system, kind, namespace = "", name, ...more] = userName.split(":");
  if (system !== "system" || kind !== "serviceaccount" || name === undefined || more.length > 0) return undefined;
  if (dns1123LabelErrors(namespace).length > 0 || dns1123SubdomainErrors(name).length > 0) return undefined;
  return { namespace, name };
}

const NODE_PREFIX = "system:node:";

/** NAME of "system:node:NAME"; undefined for every other name. */
export function nodeOf(userName: string): string | undefined {
  if (!userName.startsWith(NODE_PREFIX)) return undefined;
  const name = userName.slice(NODE_PREFIX.length);
  return dns1123SubdomainErrors(name).length > 0 ? undefined : name;
}

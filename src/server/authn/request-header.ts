import type { FieldsOf } from "../../machinery/meta/received.js";
import type { User } from "../request/user.js";
import { unauthorized } from "../../machinery/errors/status-error.js";
import { type HeaderValues, headerValues, unescapeKey } from "../request/header-values.js";
import type { Authenticator } from "./authenticator.js";

/** The headers in which a front proxy names the user of a request. */
export interface FrontProxyHeaders {
  /** The first header with a value names the user. */
  readonly usernameHeaders: readonly string[];
  /** As {@link usernameHeaders}, for the user's uid. */
  readonly uidHeaders: readonly string[];
  /** All values of all these headers are groups. */
  readonly groupHeaders: readonly string[];
  /** What follows the prefix in a header's name is a key of the user's extra, percent-encoded. */
  readonly extraHeadersPrefixes: readonly string[];
}

/** The standard headers of a front proxy, which are ignored behind authentication. */
export const STANDARD_HEADERS: FrontProxyHeaders = {
  usernameHeaders: ["X-Remote-User"],
  uidHeaders: ["X-Remote-Uid"],
  groupHeaders: ["X-Remote-Group"],
  extraHeadersPrefixes: ["X-Remote-Extra-"],
};

/** The trusted front proxy: its headers, and the names in its certificate. */
export interface FrontProxyTrust extends FrontProxyHeaders {
  /** The common names of the proxy's certificate; empty for any. */
  readonly allowedNames: readonly string[];
}

/**
 * Returns the user that a front proxy names. The headers count only on a connection whose certificate an authority of front proxies signed for one
 * of the allowed names. A certificate for another name is wrong. `current` returns the proxy as it is now, the same object until it
 * changes, and undefined while none is known.
 */
export function requestHeader(current: () => FrontProxyTrust | undefined): Authenticator {
  let known: FrontProxyTrust | undefined;
  let authenticate: Authenticator = () => undefined;
  return (exchange) => {
    const trust = current();
    if (trust !== known) {
      known = trust;
      authenticate = trust === undefined ? () => undefined : authenticatorOf(trust);
    }
    return authenticate(exchange);
  };
}

function authenticatorOf({ allowedNames, ...names }: FrontProxyTrust): Authenticator {
  const [usernames, uids, groupNames, prefixes] = [
    lower(names.usernameHeaders),
    lower(names.uidHeaders),
    lower(names.groupHeaders),
    lower(names.extraHeadersPrefixes),
  ];
  return (exchange) => {
    const { proxyCertificate } = exchange;
    if (proxyCertificate === undefined) return undefined;
    if (allowedNames.length > 0 && !allowedNames.includes(proxyCertificate.commonName)) throw unauthorized();
    const values = headerValues(exchange);
    const first = (headers: readonly string[]): string =>
      headers.map((header) => values(header)[0] ?? "").find(isSet) ?? "";
    const name = first(usernames);
    if (name === "") return undefined;
    const uid = first(uids);
    const extra = extraOf(Object.keys(exchange.headers), prefixes, values);
    return {
      name,
      ...(uid !== "" && ({ uid } satisfies FieldsOf<User>)),
      groups: groupNames.flatMap(values).filter(isSet),
      ...(Object.keys(extra).length > 0 && ({ extra } satisfies FieldsOf<User>)),
    };
  };
}

/** Whether a header, by its lower-case name, is one of those in which the proxy names a user. */
export function isFrontProxyHeader(names: FrontProxyHeaders): (header: string) => boolean {
  const whole = new Set(lower([...names.usernameHeaders, ...names.uidHeaders, ...names.groupHeaders]));
  const prefixes = lower(names.extraHeadersPrefixes);
  return (header) => whole.has(header) || prefixes.some((prefix) => header.startsWith(prefix));
}

const lower = (names: readonly string[]): readonly string[] => names.map((name) => name.trim().toLowerCase());

const isSet = (value: string): boolean => value !== "";

function extraOf(
  headers: readonly string[],
  prefixes: readonly string[],
  values: HeaderValues,
): Readonly<Record<string, readonly string[]>> {
  const extra = new Map<string, readonly string[]>();
  for (const prefix of prefixes) {
    for (const header of headers.filter((name) => name.startsWith(prefix))) {
      const key = unescapeKey(header.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...values(header)]);
    }
  }
  return Object.fromEntries(extra);
}

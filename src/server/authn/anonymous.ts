import { ANONYMOUS, type User } from "../request/user.js";

/** Who a request without credentials comes from, by its path; undefined where it needs credentials. */
export type Anonymous = (path: string) => User | undefined;

/** Paths a probe may read without credentials. */
const PROBES = /^\/(?:healthz|livez|readyz|version)(?:\/|$)/;

/** Health checks and the version alone: for servers in which every user may do everything. */
export const anonymousProbes: Anonymous = (path) => (PROBES.test(path) ? ANONYMOUS : undefined);

/** Every path: what an anonymous user may do is authorization's to say. */
export const anonymousEverywhere: Anonymous = () => ANONYMOUS;

export const anonymousNowhere: Anonymous = () => undefined;

/** Exactly these paths: "/healthz" is neither "/healthz/" nor "/healthz/etcd". */
export function anonymousOn(paths: readonly string[]): Anonymous {
  const allowed = new Set(paths);
  return (path) => (allowed.has(path) ? ANONYMOUS : undefined);
}

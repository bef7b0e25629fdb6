import { type TokenLookup, ANONYMOUS, type User } from "../request/user.js";
import type { Authenticator } from "./authenticator.js";
import type { FrontProxyHeaders } from "./request-header.js";
import type { FindObject } from "./service-account-token.js";

/** What says who a request comes from, each in kube-apiserver's place. */
export interface Authentication {
  /** Asked before client certificates. Behind authentication no request has its headers. */
  readonly frontProxy?: FrontProxy;
  /** Asked before service accounts: the file of tokens. */
  readonly localTokens?: readonly TokenLookup[];
  /** Asked after service accounts: bootstrap tokens, issuers of identities, the webhook. */
  readonly tokens?: readonly TokenLookup[];
  /**
   * Who requests without credentials come from where there is authorization; without it they are refused but for health checks.
   * Default: all are anonymous.
   */
  readonly anonymous?: Anonymous;
}

/** A proxy that names users in headers. */
export interface FrontProxy {
  readonly authenticator: Authenticator;
  /** The headers as they are now, the same object until they change; undefined while no proxy is known. */
  readonly headers: () => FrontProxyHeaders | undefined;
}

/** What authenticators may use of the server. */
export interface AuthenticationContext {
  readonly find: FindObject;
  /** Milliseconds since the epoch. */
  now(): number;
}

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

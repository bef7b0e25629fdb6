import { type TokenLookup, ANONYMOUS, type User } from "../request/user.js";
import type { Authenticator } from "./authenticator.js";
import type { FrontProxyHeaders } from "./request-header.js";
import type { FindObject } from "./service-account-token.js";

/** The authenticators of a server, in kube-apiserver's order. */
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

/** The parts of the server that authenticators may use. */
export interface AuthenticationContext {
  readonly find: FindObject;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Returns the user of a request without credentials, by its path; undefined where it needs credentials. */
export type Anonymous = (path: string) => User | undefined;

/** Paths a probe may read without credentials. */
const PROBES = /^\/(?:healthz|livez|readyz|version)(?:\/|$)/;

/** Allows anonymous requests for health checks and the version only, for servers in which every user may do everything. */
export const anonymousProbes: Anonymous = (path) => (PROBES.test(path) ? ANONYMOUS : undefined);

/** Allows anonymous requests for every path; authorization decides about their rights. */
export const anonymousEverywhere: Anonymous = () => ANONYMOUS;

export const anonymousNowhere: Anonymous = () => undefined;

/** Exactly these paths: "/healthz" is neither "/healthz/" nor "/healthz/etcd". */
export function anonymousOn(paths: readonly string[]): Anonymous {
  const allowed = new Set(paths);
  return (path) => (allowed.has(path) ? ANONYMOUS : undefined);
}

import type { TokenLookup } from "../request/user.js";
import type { Anonymous } from "./anonymous.js";
import type { Authenticator } from "./authenticator.js";
import type { FrontProxyHeaders } from "./request-header.js";
import type { FindObject } from "./service-account-token.js";

/** What says who a request comes from, each in kube-apiserver's place. */
export interface Authentication {
  /** Asked before client certificates. Behind authentication no request has its headers. */
  readonly frontProxy?: { readonly authenticator: Authenticator; readonly headers: FrontProxyHeaders };
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

/** What authenticators may use of the server. */
export interface AuthenticationContext {
  readonly find: FindObject;
  /** Milliseconds since the epoch. */
  now(): number;
}

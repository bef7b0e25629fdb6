import { type Anonymous, anonymousEverywhere, anonymousProbes } from "../authn/authentication.js";
import { type Authenticator, firstOf } from "../authn/authenticator.js";
import { bearerToken } from "../authn/authorization-header.js";
import { clientCertificate } from "../authn/client-certificate.js";
import { withoutOwnCertificate } from "../authn/client-certificate.js";
import type { FrontProxyHeaders } from "../authn/request-header.js";
import { type MarkUsed, secretTokens } from "../authn/secret-token.js";
import { type FindObject, serviceAccountTokens } from "../authn/service-account-token.js";
import { tokenUnion } from "../authn/authenticator.js";
import type { TokenUnion } from "../request/user.js";
import type { ServerConfig } from "./server-config.js";

/** The authenticators of a server, as the filter chain uses them. */
export interface RequestIdentity {
  readonly authenticator: Authenticator;
  readonly anonymous: Anonymous;
  /** Headers of a front proxy, which no request has behind authentication. */
  readonly proxyHeaders: (() => FrontProxyHeaders | undefined) | undefined;
  /** Says whose a bearer token is. */
  readonly tokens: TokenUnion;
}

interface IdentityParts {
  readonly find: FindObject;
  /** Notes the day on which the token of a secret was used. */
  readonly markUsed: MarkUsed;
  /** Where every user may do everything, only probes may be anonymous. */
  readonly everyoneMayAll: boolean;
}

/** Assembles a server's authenticators in kube-apiserver's order: those that decide locally come before those that ask other servers. */
export function requestIdentity(
  config: Pick<
    ServerConfig,
    "authentication" | "authenticators" | "clock" | "network" | "openToAnonymous" | "serviceAccounts" | "tokens"
  >,
  { find, markUsed, everyoneMayAll }: IdentityParts,
): RequestIdentity {
  const { serviceAccounts: issuer, network } = config;
  const now = (): number => config.clock.now();
  const given = config.authentication?.({ find, now }) ?? {};
  const tokens = tokenUnion(
    [
      ...config.tokens,
      ...(given.localTokens ?? []),
      ...(issuer === undefined
        ? []
        : // A token that was verified is known by its digest alone; the other lookup reads each.
          [serviceAccountTokens(issuer, find, now), secretTokens(issuer, { find, now, markUsed })]),
      ...(given.tokens ?? []),
    ],
    issuer?.audiences ?? [],
  );
  return {
    tokens,
    authenticator: firstOf([
      ...(given.frontProxy === undefined ? [] : [given.frontProxy.authenticator]),
      network?.kubeletClient === undefined ? clientCertificate : withoutOwnCertificate(clientCertificate),
      ...(config.authenticators ?? []),
      bearerToken(tokens),
    ]),
    anonymous:
      everyoneMayAll && config.openToAnonymous !== true ? anonymousProbes : (given.anonymous ?? anonymousEverywhere),
    proxyHeaders: given.frontProxy?.headers,
  };
}

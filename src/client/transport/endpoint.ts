import type { ClientConfig } from "../config/client-config.js";
import type { Surroundings } from "../surroundings.js";
import type { DialTarget } from "./dial.js";
import { isSocks, proxyFor, proxyAuthorization } from "./proxy.js";
import { tlsOptions } from "./tls-options.js";

/** The server of a config, and how to connect to it. A transport makes it once. Throws when the config's certificates cannot be used. */
export interface Endpoint {
  /** scheme://host[:port]. The path prefix is part of every request's path. */
  readonly origin: string;
  readonly hostHeader: string;
  readonly target: DialTarget;
  /**
   * True for plain http through a proxy: the request line then has the whole URL, and {@link proxyAuthorization} is sent.
   */
  readonly absoluteForm: boolean;
  readonly proxyAuthorization?: string;
}

export type TransportConfig = Pick<ClientConfig, "server" | "tls" | "proxyUrl">;

/** The surroundings that a transport uses. */
export type TransportSurroundings = Pick<Surroundings, "env" | "clock">;

export function endpointOf(config: TransportConfig, { env, clock }: TransportSurroundings): Endpoint {
  // Not WHATWG's parser, which rejects values that Go only rejects with the first request (a port beyond 65535, an unknown
  // scheme). Errors also show the user's own spelling.
  const [, scheme = "", authority = ""] = /^([^:]+):\/\/(?:[^/?#@]*@)?([^/?#]*)/.exec(config.server) ?? [];
  const [, host = "", digits = ""] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority) ?? [];
  const secure = scheme === "https";
  const proxy = proxyFor({ host: bare(host), port: digits, secure }, config.proxyUrl, env);
  const absoluteForm = !secure && proxy !== undefined && !isSocks(proxy);
  const authorization = proxy && absoluteForm ? proxyAuthorization(proxy) : undefined;
  return {
    origin: `${scheme}://${authority}`,
    hostHeader: authority,
    target: {
      scheme,
      host: bare(host),
      port: digits === "" ? (secure ? 443 : 80) : Number(digits),
      ...(secure && { tls: tlsOptions(config.tls, env) }),
      insecureSkipVerify: config.tls.insecureSkipVerify,
      clock,
      ...(proxy && { proxy }),
    },
    absoluteForm,
    ...(authorization !== undefined && { proxyAuthorization: authorization }),
  };
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

import { Agent as HttpAgent, type ClientRequest, request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";
import { isIPv6 } from "node:net";
import { Lru } from "../../base/lru.js";
import { type ClientIdentity, type ClusterNetwork, lookupOutside } from "./cluster-network.js";

/** Where a proxied request goes. */
export interface ProxyTarget {
  readonly scheme: "http" | "https";
  /** An address or a host name, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Percent-encoded, with the query: "/exec/default/web/c?command=ls". */
  readonly path: string;
  /** What a kubelet is shown. Absent for pods and services, which are shown nothing. */
  readonly identity?: ClientIdentity | undefined;
  readonly network: ClusterNetwork;
}

/** "10.0.0.7:10250", "[fd00::7]:10250". */
export const authorityOf = ({ host, port }: Pick<ProxyTarget, "host" | "port">): string =>
  `${isIPv6(host) ? `[${host}]` : host}:${port}`;

/**
 * A request to the target on a connection that nothing else uses. The server knows no authority of kubelets, so that it verifies
 * none of them, as kube-apiserver does without --kubelet-certificate-authority.
 */
export function requestOf(
  target: ProxyTarget,
  options: Pick<RequestOptions, "method" | "headers" | "signal">,
): ClientRequest {
  const { scheme, host, port, path, network } = target;
  const common: RequestOptions = { ...options, host, port, path, setHost: false };
  const own = network.dial?.(host, port);
  if (own !== undefined) return httpRequest({ ...common, agent: new ConnectedAgent(secured(own, target)) });
  const lookup = lookupOutside(network);
  const outside: RequestOptions = { ...common, agent: false, ...(lookup && { lookup }) };
  if (scheme === "http") return httpRequest(outside);
  return httpsRequest({ ...outside, ...shownTo(target), rejectUnauthorized: false });
}

/** With a kubelet a session goes on, so that signatures of certificates are checked once and not for each request. */
async function secured(connecting: Promise<Duplex>, target: ProxyTarget): Promise<Duplex> {
  const socket = await connecting;
  if (target.scheme === "http") return socket;
  const { identity } = target;
  const sessions = identity && sessionsOf(identity);
  const session = sessions?.get(authorityOf(target));
  const options = { socket, ...shownTo(target), ...(session && { session }), rejectUnauthorized: false };
  const connection = connectTls(options);
  if (sessions !== undefined) connection.on("session", (made) => sessions.set(authorityOf(target), made));
  return connection;
}

function sessionsOf(identity: ClientIdentity): Lru<string, Buffer> {
  const sessions = SESSIONS.get(identity) ?? new Lru<string, Buffer>(MOST_SESSIONS);
  SESSIONS.set(identity, sessions);
  return sessions;
}

const MOST_SESSIONS = 1000;
const SESSIONS = new WeakMap<ClientIdentity, Lru<string, Buffer>>();

/** The certificate that the target is shown, read once. */
function shownTo({ identity }: ProxyTarget): { readonly secureContext?: SecureContext } {
  if (identity === undefined) return {};
  let secureContext = CONTEXTS.get(identity);
  if (secureContext === undefined) {
    secureContext = createSecureContext({ cert: identity.certificate, key: identity.key });
    CONTEXTS.set(identity, secureContext);
  }
  return { secureContext };
}

const CONTEXTS = new WeakMap<ClientIdentity, SecureContext>();

/** Gives node:http the one connection that was made for it. */
class ConnectedAgent extends HttpAgent {
  constructor(private readonly connecting: Promise<Duplex>) {
    super({ keepAlive: false });
  }

  override createConnection(
    _options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    this.connecting.then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
  }
}

import { type ClientRequest, request as httpRequest, type RequestOptions } from "node:http";
import type { Duplex } from "node:stream";
import { connect as connectTls, type ConnectionOptions, createSecureContext, type SecureContext } from "node:tls";
import { isIPv6 } from "node:net";
import { Lru } from "../../base/collections/lru.js";
import { ConnectedAgent } from "../../client/transport/connected-agent.js";
import { dial } from "../../client/transport/dial.js";
import { NetworkFailure } from "../../client/transport/go-network-error.js";
import {
  type ClientIdentity,
  type ClusterNetwork,
  type KubeletAuthority,
  type KubeletVerification,
  lookupOutside,
} from "./cluster-network.js";
import { LARGEST_HEAD } from "../../client/transport/wire-headers.js";

/** The target of a proxied request. */
export interface ProxyTarget {
  readonly scheme: "http" | "https";
  /** An address or a host name, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Percent-encoded, with the query: "/exec/default/web/c?command=ls". */
  readonly path: string;
  /** What a kubelet is shown. Absent for pods and services, which are shown nothing. */
  readonly identity?: ClientIdentity | undefined;
  /** Whom a kubelet that `network` dials must be. Left out: the server knows no authority of it. */
  readonly authority?: KubeletAuthority | undefined;
  /** How the certificate of a kubelet is verified that `network` does not dial. Left out: it is not. */
  readonly verification?: KubeletVerification | undefined;
  readonly network: ClusterNetwork;
}

/** "10.0.0.7:10250", "[fd00::7]:10250". */
export const authorityOf = ({ host, port }: Pick<ProxyTarget, "host" | "port">): string =>
  `${isIPv6(host) ? `[${host}]` : host}:${port}`;

/**
 * A request to the target on a connection that nothing else uses. Without {@link ProxyTarget.verification} the server knows no authority of
 * kubelets from outside, so that it verifies none of them, as kube-apiserver does without --kubelet-certificate-authority. Those of other
 * servers it verifies.
 */
export function requestOf(
  target: ProxyTarget,
  options: Pick<RequestOptions, "method" | "headers" | "signal">,
): ClientRequest {
  const { host, port, path, network } = target;
  const common: RequestOptions = { ...options, host, port, path, setHost: false, maxHeaderSize: LARGEST_HEAD };
  const own = network.dial?.(host, port);
  const connection = own === undefined ? dialOutside(target, options.signal) : secured(own, target);
  return httpRequest({ ...common, agent: new ConnectedAgent(connection) });
}

/** Each step of the connection has Go's limit, and ends with the request. */
function dialOutside(
  { scheme, host, port, network, identity, verification }: ProxyTarget,
  signal: AbortSignal | undefined,
) {
  const lookup = lookupOutside(network);
  return dial({
    scheme,
    host,
    port,
    ...(scheme === "https" && { tls: outsideTls(identity, verification) }),
    insecureSkipVerify: verification === undefined,
    // Without a verification nothing is verified by it.
    clock: verification?.clock ?? { now: () => 0 },
    hosts: { dial: () => undefined, lookup, egress: network.egress },
    signal,
  });
}

/** As {@link dial} takes it, which reads certificates once for each of these objects. */
function outsideTls(
  identity: ClientIdentity | undefined,
  verification: KubeletVerification | undefined,
): ConnectionOptions {
  const key = identity ?? verification;
  if (key === undefined) return SHOWN_NOTHING;
  const made = OUTSIDE.get(key) ?? {
    ...(identity && { cert: identity.certificate, key: identity.key }),
    ...(verification && { ca: verification.ca }),
  };
  OUTSIDE.set(key, made);
  return made;
}

const SHOWN_NOTHING: ConnectionOptions = {};
const OUTSIDE = new WeakMap<ClientIdentity | KubeletVerification, ConnectionOptions>();

/** With a kubelet a session goes on, so that signatures of certificates are checked once and not for each request. */
async function secured(connecting: Promise<Duplex>, target: ProxyTarget): Promise<Duplex> {
  const socket = await connecting;
  if (target.scheme === "http") return socket;
  const { identity, authority } = target;
  if (authority !== undefined) return verified(socket, target, authority);
  const sessions = identity && sessionsOf(identity);
  const session = sessions?.get(authorityOf(target));
  const options = { socket, ...shownTo(target), ...(session && { session }), rejectUnauthorized: false };
  const connection = connectTls(options);
  if (sessions !== undefined) connection.on("session", (made) => sessions.set(authorityOf(target), made));
  return connection;
}

/** Resolves when the kubelet has shown that it is whom it must be. */
function verified(socket: Duplex, { identity }: ProxyTarget, { ca, name }: KubeletAuthority): Promise<Duplex> {
  const shown = identity && { cert: identity.certificate, key: identity.key };
  return new Promise((resolve, reject) => {
    const connection = connectTls({ socket, servername: name, ca, ...shown });
    const failed = (error: Error): void => {
      reject(connection.authorizationError ? unverified(name, error) : error);
      socket.destroy();
    };
    connection.once("error", failed).once("secureConnect", () => {
      connection.off("error", failed);
      resolve(connection);
    });
  });
}

const unverified = (name: string, { message }: Error): NetworkFailure =>
  new NetworkFailure(
    `tls: failed to verify certificate: x509: what answers for node ${JSON.stringify(name)} has no certificate for it of this server's authority: ${message}`,
  );

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

import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import {
  connect as connectTls,
  type ConnectionOptions,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from "node:tls";
import type { Clock } from "../../base/time/clock.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { errorCode } from "../../base/files/path-error.js";
import { startStopwatch } from "../../base/time/timers.js";
import { untilAborted } from "../../base/async/until-aborted.js";
import type { ExchangeTrace } from "./transport.js";
import { type ConnectedSocket, goNetworkReason, NetworkFailure } from "./go-network-error.js";
import { isSocks, connectThroughHttp, connectThroughSocks } from "./proxy.js";

export interface DialTarget {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  /** Absent for plain http. */
  readonly tls?: ConnectionOptions | undefined;
  readonly insecureSkipVerify: boolean;
  /** The validity of the peer's certificates is checked at its time. */
  readonly clock: Clock;
  readonly proxy?: URL | undefined;
  /** Goes through an HTTP proxy by CONNECT for plain http too. */
  readonly tunnel?: boolean;
  /** Says where to connect, in place of host and port; asked before each connection, and never with a proxy. */
  readonly locate?: Locate | undefined;
  readonly hosts?: ProcessHosts | undefined;
  /** Ends the connection, also while it is being made. */
  readonly signal?: AbortSignal | undefined;
}

/** The hosts of this process, which are reached without a proxy and without the machine's network. */
export interface ProcessHosts {
  /** Connects to one of them, on which TLS is spoken; rejects where that cannot be. Undefined for every other host. */
  dial(host: string, port: number): Promise<Duplex> | undefined;
  /** Finds the addresses of the machine's names. */
  readonly lookup?: LookupFunction | undefined;
  /** Connects to every other host in place of the machine's network. Left out: the machine's network does. */
  readonly egress?: Dialer | undefined;
}

/** Opens a connection to a host and port. Rejects with Node's error, a {@link NetworkFailure} or the signal's reason. */
export type Dialer = (place: Place, signal?: AbortSignal) => Promise<Socket>;

/** Dialers that connect to certain kinds of hosts in place of the machine's network. */
export interface EgressDialers {
  /** To kubelets, nodes, pods and services, and to webhooks that services lead to. */
  readonly cluster?: Dialer | undefined;
  /** To webhooks that have a URL. */
  readonly controlplane?: Dialer | undefined;
}

/** Finds the address of a name that only the caller can resolve. It rejects with the reason why the connection cannot be made. */
export type Locate = () => Promise<{ readonly host: string; readonly port: number }>;

/** How long each step may take, in milliseconds: those of Go's net.Dialer and http.Transport as client-go sets them up. */
const CONNECT_MS = 30_000;
const HANDSHAKE_MS = 10_000;
const PROXY_MS = 60_000;

/**
 * Opens a connection, completes TLS and verifies the peer, each within Go's limits. Rejects with Node's error, a {@link NetworkFailure}
 * or the signal's reason. `trace` records the steps.
 */
export async function dial(target: DialTarget, trace?: ExchangeTrace): Promise<Socket> {
  const { signal } = target;
  signal?.throwIfAborted();
  if (target.scheme !== "http" && target.scheme !== "https") {
    throw new NetworkFailure(`unsupported protocol scheme ${goQuote(target.scheme)}`);
  }
  if (target.port > 65535) throw new NetworkFailure(`dial tcp: address ${target.port}: invalid port`);
  const { locate, proxy, hosts } = target;
  const place = locate === undefined || proxy ? target : await locate();
  const own = hosts?.dial(place.host, place.port);
  if (!target.tls) return own === undefined ? dialTcp(target, place, trace) : refusePlain(own, place);
  const raw = await (own === undefined ? dialTcp(target, place, trace) : connected(own, place, signal));
  const elapsed = startStopwatch();
  const secure = await handshake(raw, target.tls, target);
  trace?.shookHands(elapsed());
  return secure;
}

/** The host and the port of a connection. */
export interface Place {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Joins host and port: "127.0.0.1:443", "[::1]:443". */
export const textOf = ({ host, port }: Place): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** A connection to a host of {@link ProcessHosts}, within the limits of one of TCP. One that is made too late is closed. */
async function connected(connecting: Promise<Duplex>, place: Place, signal: AbortSignal | undefined): Promise<Duplex> {
  const limit = new AbortController();
  const abort = (): void => limit.abort(signal?.reason);
  const timer = setTimeout(() => limit.abort(late(`dial tcp ${textOf(place)}: i/o timeout`)), CONNECT_MS);
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted) abort();
  try {
    return await untilAborted(connecting, limit.signal);
  } catch (error) {
    connecting.then(
      (connection) => connection.destroy(),
      () => {},
    );
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** Nothing but TLS is spoken with hosts of {@link ProcessHosts}, and the machine's network has others by these addresses. */
function refusePlain(connecting: Promise<Duplex>, place: Place): never {
  connecting.then(
    (connection) => connection.destroy(),
    () => {},
  );
  throw new NetworkFailure(`dial tcp ${textOf(place)}: a host of a node of this process is reached by https alone`);
}

/**
 * Opens a connection and closes it. Resolves when the server, or a proxy before it, responds; rejects when none does within the
 * time limit of a connection.
 */
export async function reach(target: DialTarget, signal: AbortSignal): Promise<void> {
  try {
    (await dial({ ...target, signal })).destroy();
  } catch (error) {
    if (signal.aborted || errorCode(error) === "ETIMEDOUT") throw error;
  }
}

/**
 * How long an idle connection is kept for the next exchange, in milliseconds. A connection that died in the meantime would lose
 * that exchange, because HTTP/1.1 has no PING.
 */
export const IDLE_MS = 4000;

const addresses = new WeakMap<object, ConnectedSocket>();

/** The addresses of a connection from {@link dial}, also after it closed. */
export function addressesOf(socket: object | null | undefined): ConnectedSocket | undefined {
  return socket ? addresses.get(socket) : undefined;
}

async function dialTcp(target: DialTarget, place: Place, trace?: ExchangeTrace): Promise<Socket> {
  const { host, port, tls, proxy, clock, signal, tunnel, hosts } = target;
  const connect = (to: Place, lookup?: LookupFunction): Promise<Socket> =>
    hosts?.egress?.(to, signal) ?? openConnection({ ...to, signal, lookup }, trace);
  if (!proxy) return connect({ host: place.host, port: place.port }, hosts?.lookup);
  const proxyHost = proxy.hostname.replace(/^\[|\]$/g, "");
  const defaultPort = proxy.protocol === "https:" ? 443 : isSocks(proxy) ? 1080 : 80;
  const proxyPort = proxy.port === "" ? defaultPort : Number(proxy.port);
  const toProxy = await connect({ host: proxyHost, port: proxyPort }).catch(proxyFailed);
  if (isSocks(proxy)) return withinProxyLimit(toProxy, connectThroughSocks(toProxy, host, port, proxy), signal);
  const channel =
    proxy.protocol === "https:"
      ? await handshake(toProxy, {}, { host: proxyHost, insecureSkipVerify: false, clock, signal }).catch(proxyFailed)
      : toProxy;
  // An HTTP proxy takes a plain request as it is. TLS and upgraded connections need a tunnel.
  return tls || tunnel ? withinProxyLimit(channel, connectThroughHttp(channel, host, port, proxy), signal) : channel;
}

interface Bounds {
  readonly signal: AbortSignal | undefined;
  /** Milliseconds. */
  readonly limit: number;
  readonly late: () => Error;
}

/** Completes what a proxy needs on a connection, within the limit that Go has for it. */
export const withinProxyLimit = <T>(
  connection: Duplex,
  step: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> => bounded(connection, step, { signal, limit: PROXY_MS, late: () => late("context deadline exceeded") });

/** A step on a connection: the connection ends, and the step with it, when it takes too long or is aborted. */
async function bounded<T>(connection: Duplex, step: Promise<T>, { signal, limit, late }: Bounds): Promise<T> {
  let ended: Error | undefined;
  const end = (why: Error): void => {
    ended = why;
    connection.destroy();
  };
  const abort = (): void => end(signal?.reason as Error);
  const timer = setTimeout(() => end(late()), limit);
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted) abort();
  try {
    return await step;
  } catch (error) {
    throw ended ?? error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

const late = (reason: string): NetworkFailure => new NetworkFailure(reason, "ETIMEDOUT");

function proxyFailed(error: unknown): never {
  throw new NetworkFailure(`proxyconnect tcp: ${goNetworkReason(error)}`, errorCode(error));
}

interface OpenOptions extends Place {
  readonly signal?: AbortSignal | undefined;
  readonly lookup?: LookupFunction | undefined;
}

function openConnection({ host, port, signal, lookup }: OpenOptions, trace?: ExchangeTrace): Promise<Socket> {
  const kept = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 };
  const socket = connectTcp({ host, port, ...kept, ...(lookup && { lookup }) });
  trace?.dialing(socket, host, port);
  return opened(socket, `dial tcp ${textOf({ host, port })}`, signal);
}

/** Connects to a Unix socket, within the time limit of a connection. */
export function openUnixSocket(path: string, signal?: AbortSignal): Promise<Socket> {
  return opened(connectTcp({ path }), `dial unix ${path}`, signal);
}

function opened(socket: Socket, what: string, signal: AbortSignal | undefined): Promise<Socket> {
  const connected = new Promise<Socket>((resolve, reject) => {
    // A socket that is destroyed says nothing else.
    const closed = (): void => reject(new NetworkFailure("EOF"));
    socket.once("error", reject).once("close", closed);
    socket.once("connect", () => {
      socket.off("error", reject).off("close", closed);
      const { localAddress, localPort, remoteAddress, remotePort } = socket;
      addresses.set(socket, { localAddress, localPort, remoteAddress, remotePort });
      resolve(socket);
    });
  });
  return bounded(socket, connected, { signal, limit: CONNECT_MS, late: () => late(`${what}: i/o timeout`) });
}

/** Completes TLS on a connection and verifies the peer. */
export function handshake(
  raw: Duplex,
  options: ConnectionOptions,
  { host, insecureSkipVerify, clock, signal }: Pick<DialTarget, "host" | "insecureSkipVerify" | "clock" | "signal">,
): Promise<TLSSocket> {
  const name = options.servername ?? host;
  const { servername: _, ...rest } = options;
  const shaken = new Promise<TLSSocket>((resolve, reject) => {
    // verifyPeer checks the peer before anything is sent: OpenSSL takes other certificates than Go, and gives other reasons.
    let socket: TLSSocket;
    try {
      socket = connectTls({
        ...rest,
        secureContext: contextOf(options),
        ...(isIP(name) === 0 && { servername: name }),
        socket: raw,
        rejectUnauthorized: false,
        checkServerIdentity: () => undefined,
      });
    } catch (error) {
      // OpenSSL takes a certificate less than Go does. An open connection would keep the process alive.
      raw.destroy();
      reject(new NetworkFailure(errorMessage(error), errorCode(error)));
      return;
    }
    const fail = (error: unknown) => {
      socket.destroy();
      const isReset = errorCode(error) === "ECONNRESET";
      const named = isReset ? new NetworkFailure(goNetworkReason(error, addressesOf(raw)), "ECONNRESET") : error;
      reject(named instanceof Error ? named : new Error(String(named)));
    };
    const closed = (): void => fail(new NetworkFailure("EOF"));
    socket.once("error", fail).once("close", closed);
    // Loaded while the peers shake hands: it reads certificates, which is much code.
    const verifier = insecureSkipVerify ? undefined : import("./verify-peer.js");
    const verify = async (): Promise<void> => {
      const loaded = await verifier;
      if (loaded === undefined) return;
      const roots = loaded.authoritiesOf(ownerOf(options), rootsOf(options));
      loaded.verifyPeer(socket, name, { roots, now: clock.now() });
    };
    socket.once("secureConnect", () => {
      verify().then(() => {
        socket.off("error", fail).off("close", closed);
        addresses.set(socket, addresses.get(raw) ?? {});
        resolve(socket);
      }, fail);
    });
  });
  const reason = "net/http: TLS handshake timeout";
  return bounded(raw, shaken, { signal, limit: HANDSHAKE_MS, late: () => late(reason) });
}

/** By the system's authorities, or by a transport's options. */
const contexts = new WeakMap<object, SecureContext>();

/** OpenSSL verifies nothing, and would take 30 ms to read a system's bundle. Bun takes an empty list for its own. */
const WITHOUT_AUTHORITIES = process.versions["bun"] === undefined ? { ca: [] } : {};

/**
 * What OpenSSL makes of certificates and keys: once for a transport, and once for all that trust the system's authorities and show no
 * certificate.
 */
function contextOf(options: ConnectionOptions): SecureContext {
  const shared = options.cert === undefined ? ownerOf(options) : options;
  const made = contexts.get(shared) ?? createSecureContext({ ...options, ...WITHOUT_AUTHORITIES });
  contexts.set(shared, made);
  return made;
}

/** What all connections with the same authorities have in common. */
const ownerOf = (options: ConnectionOptions): object => (Array.isArray(options.ca) ? options.ca : options);

/** Undefined: those of the runtime. */
function rootsOf({ ca }: ConnectionOptions): readonly (string | Buffer)[] | undefined {
  if (ca === undefined) return undefined;
  return Array.isArray(ca) ? ca : [ca];
}

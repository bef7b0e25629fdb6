import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import {
  connect as connectTls,
  type ConnectionOptions,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from "node:tls";
import type { Clock } from "../../base/clock.js";
import { errorMessage } from "../../base/error-message.js";
import { goQuote } from "../../base/go-quote.js";
import { errorCode } from "../../base/path-error.js";
import { startStopwatch } from "../../base/stopwatch.js";
import type { ExchangeTrace } from "./exchange-trace.js";
import { type ConnectedSocket, goNetworkReason, NetworkFailure } from "./go-network-error.js";
import { connectThroughHttp, connectThroughSocks } from "./proxy-tunnel.js";
import { verifyPeer } from "./verify-peer.js";

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
  readonly signal?: AbortSignal;
}

/** Hosts of this process. They come before every proxy and the machine's network. */
export interface ProcessHosts {
  /** Connects to one of them, on which TLS is spoken; rejects where that cannot be. Undefined for every other host. */
  dial(host: string, port: number): Promise<Duplex> | undefined;
  /** Finds the addresses of the machine's names. */
  readonly lookup?: LookupFunction | undefined;
}

/** Finds the address of a name that only the caller knows. What it rejects with is why the connection cannot be made. */
export type Locate = () => Promise<{ readonly host: string; readonly port: number }>;

/**
 * Opens a connection, completes TLS and verifies the peer. Rejects with Node's error or a {@link NetworkFailure}. `trace`
 * records the steps.
 */
export async function dial(target: DialTarget, trace?: ExchangeTrace): Promise<Socket> {
  if (target.scheme !== "http" && target.scheme !== "https") {
    throw new NetworkFailure(`unsupported protocol scheme ${goQuote(target.scheme)}`);
  }
  if (target.port > 65535) throw new NetworkFailure(`dial tcp: address ${target.port}: invalid port`);
  const { locate, proxy, hosts } = target;
  const place = locate === undefined || proxy ? target : await locate();
  if (!target.tls) return dialTcp(target, place, trace);
  const raw = await (hosts?.dial(place.host, place.port) ?? dialTcp(target, place, trace));
  const elapsed = startStopwatch();
  const secure = await handshake(raw, target.tls, target);
  trace?.shookHands(elapsed());
  return secure;
}

const addresses = new WeakMap<object, ConnectedSocket>();

/** The addresses of a connection from {@link dial}, also after it closed. */
export function addressesOf(socket: object | null | undefined): ConnectedSocket | undefined {
  return socket ? addresses.get(socket) : undefined;
}

async function dialTcp(
  target: DialTarget,
  place: { readonly host: string; readonly port: number },
  trace?: ExchangeTrace,
): Promise<Socket> {
  const { host, port, tls, proxy, clock, signal, tunnel, hosts } = target;
  if (!proxy) return open({ host: place.host, port: place.port, signal, lookup: hosts?.lookup }, trace);
  const proxyHost = proxy.hostname.replace(/^\[|\]$/g, "");
  const defaultPort = proxy.protocol === "https:" ? 443 : proxy.protocol === "socks5:" ? 1080 : 80;
  const proxyPort = proxy.port === "" ? defaultPort : Number(proxy.port);
  const toProxy = await open({ host: proxyHost, port: proxyPort, signal }, trace).catch(proxyFailed);
  if (proxy.protocol === "socks5:") return connectThroughSocks(toProxy, host, port, proxy);
  const channel =
    proxy.protocol === "https:"
      ? await handshake(toProxy, {}, { host: proxyHost, insecureSkipVerify: false, clock }).catch(proxyFailed)
      : toProxy;
  // An HTTP proxy takes a plain request as it is. TLS and upgraded connections need a tunnel.
  return tls || tunnel ? connectThroughHttp(channel, host, port, proxy) : channel;
}

function proxyFailed(error: unknown): never {
  throw new NetworkFailure(`proxyconnect tcp: ${goNetworkReason(error)}`, errorCode(error));
}

interface OpenOptions {
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal | undefined;
  readonly lookup?: LookupFunction | undefined;
}

function open({ host, port, signal, lookup }: OpenOptions, trace?: ExchangeTrace): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const kept = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 };
    const socket = connectTcp({ host, port, ...kept, ...(signal && { signal }), ...(lookup && { lookup }) });
    trace?.dialing(socket, host, port);
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      const { localAddress, localPort, remoteAddress, remotePort } = socket;
      addresses.set(socket, { localAddress, localPort, remoteAddress, remotePort });
      resolve(socket);
    });
  });
}

function handshake(
  raw: Duplex,
  options: ConnectionOptions,
  { host, insecureSkipVerify, clock }: Pick<DialTarget, "host" | "insecureSkipVerify" | "clock">,
): Promise<TLSSocket> {
  const name = options.servername ?? host;
  const { servername: _, ...rest } = options;
  return new Promise((resolve, reject) => {
    // verifyPeer checks the peer before anything is sent. Node's own check reports the first error in another order than Go.
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
      // The certificate or its key is invalid. An open connection would keep the process alive.
      raw.destroy();
      reject(new NetworkFailure(keyPairFault(error), errorCode(error)));
      return;
    }
    const fail = (error: unknown) => {
      socket.destroy();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    socket.once("error", fail);
    socket.once("secureConnect", () => {
      try {
        if (!insecureSkipVerify) verifyPeer(socket, name, { roots: rootsOf(options), now: clock.now() });
      } catch (error) {
        fail(error);
        return;
      }
      socket.off("error", fail);
      addresses.set(socket, addresses.get(raw) ?? {});
      resolve(socket);
    });
  });
}

/** By the system's authorities, or by a transport's options. */
const contexts = new WeakMap<object, SecureContext>();

/**
 * What OpenSSL makes of certificates and keys: once for a transport, and once for all that trust the system's authorities and show no
 * certificate. To make it for each connection would hold the event loop for 30 ms with a system's bundle, and longer with a
 * webhook's that is larger.
 */
function contextOf(options: ConnectionOptions): SecureContext {
  const shared = options.cert === undefined && Array.isArray(options.ca) ? options.ca : options;
  const made = contexts.get(shared) ?? createSecureContext(options);
  contexts.set(shared, made);
  return made;
}

function keyPairFault(error: unknown): string {
  const message = errorMessage(error);
  if (message.includes("key values mismatch")) return "tls: private key does not match public key";
  return message.includes("DECODER routines") ? "tls: failed to parse private key" : message;
}

/** Undefined: those of the runtime. */
function rootsOf({ ca }: ConnectionOptions): readonly (string | Buffer)[] | undefined {
  if (ca === undefined) return undefined;
  return Array.isArray(ca) ? ca : [ca];
}

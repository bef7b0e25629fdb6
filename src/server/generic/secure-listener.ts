import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../../base/time/clock.js";
import type { Exchange } from "../request/exchange.js";
import { http1Exchange, readOn } from "./transport/http1.js";
import { http1UpgradeExchange, upgradeResponse } from "./transport/http1-upgrade.js";
import { http2Exchange } from "./transport/http2.js";
import { type AuthorityTexts, PeerAuthorities } from "../../machinery/crypto/peer-authorities.js";
import { Http2Sessions, type SessionLimits } from "./transport/http2-sessions.js";
import {
  HEAD_BYTES,
  HEAD_SETTINGS,
  refuseLongHead,
  answerPlainHttp,
  refuseWithoutHost,
} from "./transport/early-refusals.js";
import { ServingContexts, type ShownPairs } from "./transport/serving-contexts.js";
import type { TlsProtocol } from "./transport/tls-protocol.js";

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly tls: ListenerTls;
  /** Certificates of clients are checked at its time. */
  readonly clock: Clock;
  readonly handle: (exchange: Exchange) => Promise<void>;
  readonly stopping: AbortSignal;
  /** False: the port speaks HTTP/1.1 alone. */
  readonly http2?: Http2Options | false | undefined;
  /** Called for each TLS handshake that fails. */
  readonly onHandshakeError?: () => void;
  /** Tests have others, and wait less. */
  readonly limits?: Partial<ConnectionLimits>;
}

export interface Http2Options {
  /** How many requests a connection may have at once. Default 100. */
  readonly streams?: number;
}

/** The limits of a listener's connections. Times are in milliseconds. */
export interface ConnectionLimits {
  /** Connections at once. One more is closed before its TLS handshake. */
  readonly connections: number;
  /** How long a TLS handshake may take. */
  readonly handshake: number;
  /** How long the head of an HTTP/1.1 request may take. */
  readonly head: number;
  /** How long the head and the body of an HTTP/1.1 request may take. */
  readonly request: number;
  /** How often it is looked which request has taken too long. */
  readonly check: number;
  /** How long the body of a request that was answered may still come. */
  readonly lateBody: number;
  readonly http2: Omit<SessionLimits, "lateBody">;
}

/** The certificates and trusted authorities of a listener, as PEM. */
export interface ListenerTls extends AuthorityTexts, ShownPairs {
  /** Left out: what the runtime speaks by default. */
  readonly protocol?: TlsProtocol | undefined;
}

export interface Listener {
  readonly port: number;
  /** From now on trusts these authorities, on open connections too. Throws, and changes nothing, for texts without certificates. */
  trust(authorities: AuthorityTexts): void;
  /**
   * From now on shows these certificates to new connections. Open ones live on. Throws, and changes nothing, for pairs that cannot be
   * served.
   */
  show(pairs: ShownPairs): void;
  /** Accepts no more connections and closes the existing ones once their requests are answered. */
  close(): Promise<void>;
}

/** kube-apiserver's IdleTimeout (WEB-1); client-go drops idle connections after as long. */
const KEEP_ALIVE_MS = 90_000;
/** A connection idle for this long gets TCP keep-alive probes. */
const PROBE_MS = 180_000;
/** How long clients may take to close their connections after the server asked them to. */
const CLOSING_MS = 2000;
/** Connections that wait to be accepted, as Go asks the system for. With Node's 511 a burst of a thousand waits for clients to try again. */
const BACKLOG = 4096;
/** Of a connection whose client reads slowly: each of its streams buffers a chunk of a list, or one object. Node refuses more streams then. */
const SESSION_MEMORY_MB = 128;

const REFUSED = Promise.resolve();

const LIMITS: ConnectionLimits = {
  connections: 5000,
  // kube-apiserver's ReadHeaderTimeout, which is for the handshake too.
  handshake: 32_000,
  head: 32_000,
  request: 300_000,
  check: 5000,
  lateBody: 10_000,
  http2: {
    // kube-apiserver's default of --http2-max-streams-per-connection; with the waiting ones what Go's server takes.
    streams: 100,
    waiting: 300,
    strangers: 100,
    idle: KEEP_ALIVE_MS,
    strangerIdle: 1000,
  },
};

/** Serves HTTP/2 and HTTP/1.1 over TLS on one port. Rejects when the port cannot be opened. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { host, tls } = options;
  const limits = limitsOf(options);
  const peers = new PeerAuthorities(() => options.clock.now(), tls);
  const contexts = new ServingContexts({ host, protocol: tls.protocol, authorities: () => peers.pem }, tls);
  const server = secureServer(contexts, limits, options.http2);
  contexts.chooseBeforeTls(server, limits.handshake);
  tuneHttp1(server, limits);
  const sessions = new Http2Sessions({ ...limits.http2, lateBody: limits.lateBody }, offersHttp1(server));
  server.on("session", (session) => sessions.add(session));
  const sockets = openSockets(server);
  // A client that hangs up during its handshake is no error of the server.
  server.on("tlsClientError", (error, client) => {
    options.onHandshakeError?.();
    answerPlainHttp(error, client, CLOSING_MS);
  });
  server.on("sessionError", () => {});
  serveHttp1(server, options, limits, peers);
  serveHttp2(server, options, sessions, peers);
  await openPort(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    trust(authorities) {
      peers.replace(authorities);
      contexts.renew(server);
    },
    show: (pairs) => contexts.show(server, pairs),
    close: () => shutDown(server, sessions, sockets),
  };
}

function secureServer(
  contexts: ServingContexts,
  limits: ConnectionLimits,
  http2: ListenOptions["http2"],
): Http2SecureServer {
  const server = createSecureServer({
    ...contexts.serverOptions,
    allowHTTP1: true,
    ...(http2 === false && { ALPNCallback: chooseHttp1 }),
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: limits.handshake,
    maxSessionMemory: SESSION_MEMORY_MB,
    maxHeaderListPairs: 4096,
    settings: { maxConcurrentStreams: limits.http2.streams, ...HEAD_SETTINGS },
  });
  server.maxConnections = limits.connections;
  return server;
}

/** Keeps which sockets are open, and tunes each. */
function openSockets(server: Http2SecureServer): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, PROBE_MS);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}

function serveHttp1(
  server: Http2SecureServer,
  options: ListenOptions,
  limits: ConnectionLimits,
  peers: PeerAuthorities,
): void {
  // Node emits this event for HTTP/1.1 requests only, although its types say otherwise: serveHttp2's listener takes HTTP/2.
  server.on("request", (given, answer) => {
    const [request, response] = [given as unknown as IncomingMessage, answer as unknown as ServerResponse];
    readOn(request.socket, response);
    if (refuseWithoutHost(request, response)) return;
    const serve = (): void => {
      const exchange = http1Exchange(request, response, options.stopping, peers);
      void run(options, exchange, () => response.destroy()).then(() => endLateBody(request, limits.lateBody));
    };
    // A pipelined request begins when the answer before it has left, as with Go's server. One whose connection ends before never does.
    if (response.socket === null) response.once("socket", serve);
    else serve();
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const response = upgradeResponse(request, socket);
    if (refuseWithoutHost(request, response)) return;
    void run(options, http1UpgradeExchange(request, response, head, options.stopping, peers), () => socket.destroy());
  });
}

/** Called after {@link serveHttp1}, whose listener installs Node's HTTP/1 compatibility layer for HTTP/2 streams too: this replaces it. */
function serveHttp2(
  server: Http2SecureServer,
  options: ListenOptions,
  sessions: Http2Sessions,
  peers: PeerAuthorities,
): void {
  server.removeAllListeners("stream");
  const handleStream = (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    _flags: number,
    // Node passes it, although its types say otherwise.
    rawHeaders: readonly string[] = [],
  ): void => {
    // Without an error the stream is reset with NO_ERROR, and a client takes the part of the answer that it has for the whole.
    const giveUp = (): void => void (stream.destroyed || stream.destroy(new Error("the answer was aborted")));
    sessions.take(stream, (bounds) =>
      refuseLongHead(stream, rawHeaders)
        ? REFUSED
        : run(options, http2Exchange(stream, headers, options.stopping, { peers, rawHeaders, bounds }), giveUp),
    );
  };
  server.on("stream", handleStream);
}

/** Resolves when the port is open. */
function openPort(server: Http2SecureServer, { port, host }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

/** Node refuses a client that offers none of what is chosen. */
const chooseHttp1 = ({ protocols }: { readonly protocols: readonly string[] }): string | undefined =>
  protocols.find((protocol) => protocol === "http/1.1");

function limitsOf({ limits, http2 }: ListenOptions): ConnectionLimits {
  const all = { ...LIMITS, ...limits };
  const streams = http2 === false ? undefined : http2?.streams;
  return streams === undefined ? all : { ...all, http2: { ...all.http2, streams } };
}

function run(options: ListenOptions, exchange: Exchange, giveUp: () => void): Promise<void> {
  return options.handle(exchange).catch(giveUp);
}

/** Closes the connection of a client that sends on long after its answer: what reads its body ends. */
function endLateBody(request: IncomingMessage, patience: number): void {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => request.complete || request.destroy(), patience);
  timer.unref();
  request.once("close", () => clearTimeout(timer));
}

/** Node reads these options from this server too, although its types declare them for HTTP/1.1 servers only. */
function tuneHttp1(server: Http2SecureServer, { head, request, check }: ConnectionLimits): void {
  Object.assign(server, {
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: head,
    requestTimeout: request,
    connectionsCheckingInterval: check,
    maxHeaderSize: HEAD_BYTES,
    // Node limits the headers' size. With a limit on their count it would drop the last headers, credentials among them.
    maxHeadersCount: 0,
  });
}

/**
 * Closes the connections of a server that has answered its requests: idle ones at once, the others when their last bytes are
 * sent or after {@link CLOSING_MS}.
 */
async function shutDown(
  server: Http2SecureServer,
  sessions: Http2Sessions,
  sockets: ReadonlySet<Socket>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  sessions.close();
  const impatience = setTimeout(() => {
    sessions.destroy();
    for (const socket of sockets) socket.destroy();
  }, CLOSING_MS);
  await closed;
  clearTimeout(impatience);
}

/** How long an address is remembered, in milliseconds: client-go sends a GET again after a second. */
const REMEMBERED_MS = 10_000;

/** The protocols that a connection may have, as ALPN has them on the wire; of those that a client speaks, the first is taken. */
const HTTP1_FIRST = Buffer.from("\x08http/1.1\x02h2", "latin1");

/**
 * Lets the server prefer HTTP/1.1 on the next connection of an address, with which the returned function is called: to that of
 * a client whose last head was too long for Node's HTTP/2. client-go and others send such a request again on a new connection.
 */
function offersHttp1(server: Http2SecureServer): (address: string) => void {
  // node:tls reads it for each connection. Its types leave it out.
  const offering = server as Http2SecureServer & { ALPNProtocols?: Buffer };
  const usual = offering.ALPNProtocols;
  const addresses = new Set<string>();
  // In front of node:tls's own listener.
  server.prependListener("connection", ({ remoteAddress = "" }: Socket) => {
    if (usual !== undefined) offering.ALPNProtocols = addresses.delete(remoteAddress) ? HTTP1_FIRST : usual;
  });
  return (address) => {
    addresses.add(address);
    setTimeout(() => addresses.delete(address), REMEMBERED_MS).unref();
  };
}

import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../../base/clock.js";
import type { Exchange } from "../request/exchange.js";
import { http1Exchange } from "./transport/http1.js";
import { readOn } from "./transport/http1-reading.js";
import { http1UpgradeExchange, upgradeResponse } from "./transport/http1-upgrade.js";
import { http2Exchange } from "./transport/http2.js";
import { type AuthorityTexts, PeerAuthorities } from "../../machinery/signature/peer-authorities.js";
import { answerPlainHttp } from "./transport/plain-http.js";
import { refuseWithoutHost } from "./transport/required-host.js";
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
}

/** What a listener shows and trusts, all as PEM. */
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

const HEADER_BYTES = 1024 * 1024;
/** kubectl and client-go keep idle connections for 90 seconds. */
const KEEP_ALIVE_MS = 120_000;
/** A connection idle for this long gets TCP keep-alive probes. */
const PROBE_MS = 180_000;
/** How long clients may take to close their connections after the server asked them to. */
const CLOSING_MS = 2000;
const SESSION_MEMORY_MB = 1024;
/** The limit of concurrent streams per connection, as kube-apiserver sets it. */
const MAX_STREAMS = 250;

/** Serves HTTP/2 and HTTP/1.1 over TLS on one port. Rejects when the port cannot be opened. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { host, tls } = options;
  const peers = new PeerAuthorities(() => options.clock.now(), tls);
  const contexts = new ServingContexts({ host, protocol: tls.protocol, authorities: () => peers.pem }, tls);
  const server: Http2SecureServer = createSecureServer({
    ...contexts.serverOptions,
    allowHTTP1: true,
    requestCert: true,
    rejectUnauthorized: false,
    // A slow reader of one stream must not fail the other streams of its connection.
    maxSessionMemory: SESSION_MEMORY_MB,
    maxHeaderListPairs: 4096,
    settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: HEADER_BYTES },
  });
  contexts.complete(server);
  tuneHttp1(server);
  /** The open streams per session. */
  const sessions = new Map<Http2Session, number>();
  const sockets = new Set<Socket>();
  server.on("session", (session) => {
    sessions.set(session, 0);
    session.once("close", () => sessions.delete(session));
    // Closes idle HTTP/2 sessions, as Node closes idle HTTP/1.1 connections. A session with a quiet watch is not idle.
    session.setTimeout(KEEP_ALIVE_MS, () => {
      if (sessions.get(session) === 0) session.close();
    });
    session.on("error", () => session.destroy());
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, PROBE_MS);
    socket.once("close", () => sockets.delete(socket));
  });
  // A client that hangs up during its handshake is no error of the server.
  server.on("tlsClientError", (error, client) => answerPlainHttp(error, client, CLOSING_MS));
  server.on("sessionError", () => {});
  // Node emits this event for HTTP/1.1 requests only, although its types say otherwise: the stream listener below takes HTTP/2.
  server.on("request", (given, answer) => {
    const [request, response] = [given as unknown as IncomingMessage, answer as unknown as ServerResponse];
    readOn(request.socket, response);
    if (refuseWithoutHost(request, response)) return;
    run(options, http1Exchange(request, response, options.stopping, peers), () => response.destroy());
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const response = upgradeResponse(request, socket);
    if (refuseWithoutHost(request, response)) return;
    run(options, http1UpgradeExchange(request, response, head, options.stopping, peers), () => socket.destroy());
  });
  // The listener above also installs Node's HTTP/1 compatibility layer for HTTP/2 streams. The server's own handler replaces
  // it.
  server.removeAllListeners("stream");
  const handleStream = (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    _flags: number,
    // Node passes it, although its types say otherwise.
    rawHeaders: readonly string[] = [],
  ): void => {
    const { session } = stream;
    const count = (change: number): void => {
      const open = session && sessions.get(session);
      if (open !== undefined) sessions.set(session as Http2Session, open + change);
    };
    count(1);
    stream.once("close", () => count(-1));
    // Without an error the stream is reset with NO_ERROR, and a client takes the part of the answer that it has for the whole.
    const giveUp = (): void => void stream.destroy(new Error("the answer was aborted"));
    run(options, http2Exchange(stream, headers, options.stopping, peers, rawHeaders), giveUp);
  };
  server.on("stream", handleStream);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
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

function run(options: ListenOptions, exchange: Exchange, giveUp: () => void): void {
  options.handle(exchange).catch(giveUp);
}

/** Node reads these options from this server too, although its types declare them for HTTP/1.1 servers only. */
function tuneHttp1(server: Http2SecureServer): void {
  Object.assign(server, {
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: KEEP_ALIVE_MS + 5000,
    maxHeaderSize: HEADER_BYTES,
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
  sessions: ReadonlyMap<Http2Session, number>,
  sockets: ReadonlySet<Socket>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const session of sessions.keys()) session.close();
  const impatience = setTimeout(() => {
    for (const session of sessions.keys()) session.destroy();
    for (const socket of sockets) socket.destroy();
  }, CLOSING_MS);
  await closed;
  clearTimeout(impatience);
}

import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Exchange, ResponseWriter } from "../../request/exchange.js";
import { readBody, NodeWriter } from "./node-streams.js";
import { NO_AUTHORITIES, type PeerAuthorities, type PeerIdentity } from "../../../machinery/crypto/peer-authorities.js";
import type { StreamBounds } from "./http2-sessions.js";
import { ExchangeLifetime } from "./lifetime.js";
import { RequestTarget } from "./target.js";

interface Http2Surroundings {
  readonly peers?: PeerAuthorities;
  /** Node lists names and values in turn. */
  readonly rawHeaders?: readonly string[];
  readonly bounds?: StreamBounds;
}

/** An HTTP/2 stream as an exchange. `stopping` aborts every exchange when the server shuts down. */
export function http2Exchange(
  stream: ServerHttp2Stream,
  wireHeaders: IncomingHttpHeaders,
  stopping: AbortSignal,
  { peers = NO_AUTHORITIES, rawHeaders = [], bounds }: Http2Surroundings = {},
): Exchange {
  const lifetime = new ExchangeLifetime(stopping);
  stream.once("close", lifetime.leave);
  stream.on("error", lifetime.leave);
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(wireHeaders)) {
    if (!name.startsWith(":")) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const session = stream.session;
  // With TLS the socket behind a session is always a TLSSocket.
  const socket = session?.socket as TLSSocket | undefined;
  const target = new RequestTarget(String(wireHeaders[":path"]));
  const peer: PeerIdentity = session && socket ? peers.identify(session, socket) : {};
  return {
    method: String(wireHeaders[":method"]),
    path: target.path,
    get query() {
      return target.query;
    },
    uri: target.text,
    headers,
    authority: wireHeaders[":authority"],
    protocol: "HTTP/2.0",
    get scheme() {
      return session?.encrypted === false ? "http" : "https";
    },
    separateHeaders: () => separated(rawHeaders),
    ...peer,
    remoteAddress: socket?.remoteAddress ?? "",
    get remotePort() {
      return socket?.remotePort;
    },
    get signal() {
      return lifetime.ending;
    },
    get left() {
      return lifetime.left;
    },
    get bodyLength() {
      const length = headers["content-length"];
      return stream.endAfterHeaders ? 0 : length === undefined ? undefined : Number(length);
    },
    body: (limit) => readBody(stream, limit),
    bodyChunks: () => stream,
    respond(status, { connection, ...head }): ResponseWriter {
      // HTTP/2 has no Connection header. A GOAWAY makes the client open another connection.
      if (connection === "close") session?.close();
      stream.respond({ ":status": status, ...(head as Record<string, string | string[]>) });
      return new NodeWriter(stream, lifetime);
    },
    authenticated: (isKnown) => bounds?.authenticated(isKnown),
    get responded() {
      return stream.headersSent;
    },
  };
}

function separated(raw: readonly string[]): Readonly<Record<string, readonly string[] | undefined>> {
  const headers = Object.create(null) as Record<string, string[]>;
  for (let at = 0; at + 1 < raw.length; at += 2) (headers[raw[at] ?? ""] ??= []).push(raw[at + 1] ?? "");
  return headers;
}

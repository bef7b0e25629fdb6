import type { Duplex } from "node:stream";
import type { PeerIdentity } from "../../machinery/crypto/peer-authorities.js";

/**
 * One HTTP request with its response. Adapters make it from an HTTP/1.1 request, an HTTP/2 stream or an in-process call; the
 * handlers cannot tell which.
 */
export interface Exchange extends PeerIdentity {
  readonly method: string;
  /** The raw path without the query, percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The path and the query as the client sent them. */
  readonly uri: string;
  /** Lower-case names; several values are joined with ", ". A value has a character for each byte: base/text/header-text has its text. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The server's host and port as an HTTP/2 client names it, in the place of the header "host". */
  readonly authority?: string | undefined;
  /** The values of each header as they were sent, by lower-case names. Left out: {@link headers} has one value each. */
  separateHeaders?(): Readonly<Record<string, readonly string[] | undefined>>;
  /** What the client speaks; undefined for a call in the same process. */
  readonly protocol?: "HTTP/1.1" | "HTTP/2.0" | undefined;
  /** Whether the connection is encrypted; undefined for a call in the same process. */
  readonly scheme?: "https" | "http" | undefined;
  readonly remoteAddress: string;
  /** The client's port; undefined for a call in the same process and over a Unix socket. */
  readonly remotePort?: number | undefined;
  /** Aborts when the client disconnects or the server shuts down. */
  readonly signal: AbortSignal;
  /** True once the client has disconnected or the whole answer was sent. Asking costs nothing, and the signal is not made. */
  readonly left?: boolean;
  /** As {@link import("../../base/async/cancellation.js").CancellationToken.isRevoked}. */
  readonly isRevoked?: boolean;
  /** Bytes of the body, as the request's head says; 0 where none comes. Left out: only its end says how long it is. */
  readonly bodyLength?: number | undefined;
  /** Reads the whole body. Throws a 413 StatusError beyond `limit` bytes. */
  body(limit: number): Promise<Uint8Array>;
  /** The body as it comes, for one who reads it in place of {@link body}. */
  bodyChunks(): AsyncIterable<Uint8Array>;
  /** Sends the head. Call it once. `headers` holds lower-case names. */
  respond(status: number, headers: Readonly<Record<string, string | readonly string[]>>): ResponseWriter;
  /**
   * Tells the connection whether the caller was authenticated. Only HTTP/2 connections have it, which end soon for callers that were
   * not.
   */
  authenticated?(isKnown: boolean): void;
  /** Told of the size of each event of a watch, in bytes. Absent where nothing measures them. */
  watchEvent?(bytes: number): void;
  /** True once respond was called or the protocol was switched. An error can then no longer become a Status. */
  readonly responded: boolean;
  /** Present when the client asks for a WebSocket. A handler that speaks it accepts instead of responding. */
  readonly webSocket?: WebSocketOffer | undefined;
  /** Present when the client asks for another protocol, a WebSocket among them: the bare connection, for streams and proxies. */
  readonly upgrade?: UpgradeOffer | undefined;
}

export interface ResponseWriter {
  /** Await it: it resolves when more may be written. Rejects when the client has disconnected. */
  write(chunk: Uint8Array): Promise<void>;
  end(chunk?: Uint8Array): Promise<void>;
}

/**
 * A client's wish to go on in another protocol: an HTTP/1.1 request with `Connection: Upgrade`. A handler that does not accept it
 * answers as usual.
 */
export interface UpgradeOffer {
  /** The Upgrade header as the client sends it: "SPDY/3.1", "websocket". */
  readonly protocol: string;
  /**
   * Answers 101 with `headers` (lower-case names; Connection and Upgrade are added where they are missing) and gives the connection,
   * which is the caller's to end; the exchange then counts as answered. Its signal aborts when the connection is closed or the
   * server stops. Errors of the connection show in its streams, and need no listener.
   */
  accept(headers: Readonly<Record<string, string | readonly string[]>>): Duplex;
}

/**
 * A client's offer of a WebSocket: HTTP/1.1 with `Upgrade: websocket`. A handler that does not accept it answers as usual.
 */
export interface WebSocketOffer {
  /** The subprotocols that the client offers, in its order, without those that carry a bearer token. */
  readonly subprotocols: readonly string[];
  /** The bearer token among the subprotocols, for clients that cannot set headers; "" for one that is offered in a wrong way, which is a 401. */
  readonly bearerToken: string | undefined;
  /**
   * Switches protocols; the exchange then counts as answered. Rejects with a 400 StatusError, without an answer, when the
   * handshake is invalid. `subprotocol` is one of those offered.
   */
  accept(subprotocol?: string): Promise<WebSocketConnection>;
}

/** The server's end of a WebSocket. It answers pings and drops the client's messages. */
export interface WebSocketConnection {
  /** Sends one message. Resolves when more may be sent: await it. Rejects when the client has disconnected. */
  send(message: Uint8Array, as: "text" | "binary"): Promise<void>;
  /** Sends a close frame (1000) and resolves when the connection is closed. */
  close(): Promise<void>;
}

import type { PeerIdentity } from "../../machinery/crypto/peer-authorities.js";
import type { UpgradeOffer } from "./upgrade.js";
import type { WebSocketOffer } from "./web-socket.js";

/**
 * One HTTP exchange. Adapters make it from an HTTP/1.1 request, an HTTP/2 stream or an in-process call; the handlers cannot
 * tell which.
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
  readonly remoteAddress: string;
  /** Aborts when the client disconnects or the server shuts down. */
  readonly signal: AbortSignal;
  /** True once the client has disconnected or the whole answer was sent. Asking costs nothing, and the signal is not made. */
  readonly left?: boolean;
  /** As {@link import("../../base/async/cancellation.js").CancellationToken.isRevoked}. */
  readonly isRevoked?: boolean;
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

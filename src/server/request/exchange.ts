import type { WebSocketOffer } from "./web-socket.js";

/** What a verified certificate says of who shows it. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate's DER, in lower-case hex; not there for callers within the process. */
  readonly fingerprint?: string;
}

/**
 * One HTTP exchange as the server sees it. Adapters make it from an HTTP/1.1 request, an HTTP/2 stream or an
 * in-process call; nothing behind them knows which.
 */
export interface Exchange {
  readonly method: string;
  /** Decoded by nobody yet: the raw path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names; several values are joined with ", ". */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** When the client showed a certificate that we verified. */
  readonly clientCertificate?: ClientCertificate | undefined;
  readonly remoteAddress: string;
  /** Aborts when the client goes away or the server shuts down. */
  readonly signal: AbortSignal;
  /** The whole body. Throws a 413 StatusError beyond `limit` bytes. */
  body(limit: number): Promise<Uint8Array>;
  /** Sends the head. Call it once. `headers` holds lower-case names. */
  respond(status: number, headers: Readonly<Record<string, string | readonly string[]>>): ResponseWriter;
  /** True once respond was called or a WebSocket began: an error can then no longer become a Status. */
  readonly responded: boolean;
  /** There when the client asks to go on as a WebSocket; whoever can speak it accepts instead of responding. */
  readonly webSocket?: WebSocketOffer | undefined;
}

export interface ResponseWriter {
  /** Resolves when more may be written: await it. Rejects when the client is gone. */
  write(chunk: Uint8Array): Promise<void>;
  end(chunk?: Uint8Array): Promise<void>;
}

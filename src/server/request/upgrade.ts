import type { Duplex } from "node:stream";

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

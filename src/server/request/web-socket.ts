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

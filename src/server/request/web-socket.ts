/** A client's offer to go on as a WebSocket: HTTP/1.1 with `Upgrade: websocket`. Without an answer to it the request is answered as any other. */
export interface WebSocketOffer {
  /** What the client would speak, in its order; bearer tokens that ride among them are left out. */
  readonly subprotocols: readonly string[];
  /** A bearer token given among the subprotocols, by clients that cannot set headers. */
  readonly bearerToken: string | undefined;
  /**
   * Switches protocols; the exchange counts as answered. Rejects with a 400 StatusError, and nothing is answered, when the
   * handshake is not one. `subprotocol` is one of those offered.
   */
  accept(subprotocol?: string): Promise<WebSocketConnection>;
}

/** The server's end of a WebSocket. Pings are answered and what the client sends is dropped. */
export interface WebSocketConnection {
  /** One message, as text or as bytes. Resolves when more may be sent: await it. Rejects when the client is gone. */
  send(message: Uint8Array, as: "text" | "binary"): Promise<void>;
  /** Says goodbye (1000) and resolves when the connection is gone. */
  close(): Promise<void>;
}

/** Codes of close frames. */
export const CLOSE = {
  normal: 1000,
  protocolError: 1002,
  noStatus: 1005,
  abnormal: 1006,
  tooBig: 1009,
  internalError: 1011,
} as const;

const NAMES: Readonly<Record<number, string>> = {
  1000: "normal",
  1001: "going away",
  1002: "protocol error",
  1003: "unsupported data",
  1005: "no status",
  1006: "abnormal closure",
  1007: "invalid payload data",
  1008: "policy violation",
  1009: "message too big",
  1010: "mandatory extension missing",
  1011: "internal server error",
  1015: "TLS handshake error",
};

/** Whether a peer may send a close frame with this code: RFC 6455's, registered ones, and those of applications. */
export const mayBeReceived = (code: number): boolean =>
  (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1013) || (code >= 3000 && code <= 4999);

/** A WebSocket was closed with a code other than 1000. The message is that of client-go's library. */
export class WebSocketCloseError extends Error {
  override readonly name = "WebSocketCloseError";

  constructor(
    readonly closeCode: number,
    reason: string,
  ) {
    const name = NAMES[closeCode];
    super(
      `websocket: close ${closeCode}${name === undefined ? "" : ` (${name})`}${reason === "" ? "" : `: ${reason}`}`,
    );
  }
}

/** The peer has violated the protocol. The message is that of client-go's library; the connection is closed with code 1002. */
export class WebSocketProtocolError extends Error {
  override readonly name = "WebSocketProtocolError";

  constructor(readonly reason: string) {
    super(`websocket: ${reason}`);
  }
}

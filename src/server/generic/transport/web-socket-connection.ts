import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { badRequest } from "../../../machinery/errors/status-error.js";
import type { WebSocketConnection } from "../../request/web-socket.js";

/** A sender waits while more bytes than this are buffered. */
const HIGH_WATER_BYTES = 64 * 1024;
const LARGEST_MESSAGE_BYTES = 32 * 1024 * 1024;
/** How long a client may take to answer the close frame. */
const CLOSING_MS = 1000;

/**
 * Completes the handshake and calls `taken` when the socket becomes the WebSocket's. Rejects with a 400 StatusError, without
 * an answer, when the handshake is invalid.
 */
export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { subprotocol, taken }: { readonly subprotocol: string | undefined; readonly taken: () => void },
): Promise<WebSocketConnection> {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: LARGEST_MESSAGE_BYTES,
    handleProtocols: () => subprotocol ?? false,
  });
  return new Promise((resolve, reject) => {
    socket.once("close", () => reject(new Error("the client is gone")));
    server.once("wsClientError", (error) => reject(badRequest(error.message)));
    server.handleUpgrade(request, socket, head, (webSocket) => {
      taken();
      resolve(new Connection(webSocket));
    });
  });
}

class Connection implements WebSocketConnection {
  readonly #closed: Promise<void>;

  constructor(private readonly webSocket: WebSocket) {
    this.#closed = new Promise((resolve) => webSocket.once("close", () => resolve()));
    // A protocol error closes the connection, and that ends the watch.
    webSocket.on("error", () => {});
  }

  async send(message: Uint8Array, as: "text" | "binary"): Promise<void> {
    const { webSocket } = this;
    if (webSocket.readyState === webSocket.OPEN && (await this.#sent(message, as === "binary"))) return;
    await this.#closed;
    throw new Error("the client is gone");
  }

  #sent(message: Uint8Array, binary: boolean): Promise<boolean> {
    const { webSocket } = this;
    return new Promise((resolve) => {
      webSocket.send(message, { binary }, (error) => resolve(error === undefined || error === null));
      if (webSocket.bufferedAmount < HIGH_WATER_BYTES) resolve(true);
    });
  }

  async close(): Promise<void> {
    const timer = setTimeout(() => this.webSocket.terminate(), CLOSING_MS);
    this.webSocket.close(1000);
    await this.#closed;
    clearTimeout(timer);
  }
}

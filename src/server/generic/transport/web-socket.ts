import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { bearerSubprotocol, withoutBearer, offeredSubprotocols } from "../../../machinery/wire/web-socket/handshake.js";
import type { WebSocketOffer } from "../../request/web-socket.js";

/** True for a WebSocket handshake, recognized as kube-apiserver recognizes it. */
export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  const tokens = (headers.connection ?? "").toLowerCase().split(",");
  return headers.upgrade?.toLowerCase() === "websocket" && tokens.some((token) => token.trim() === "upgrade");
}

/** The offer of such a request. `taken` is called when the socket becomes the WebSocket's. */
export function webSocketOffer(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  taken: () => void,
): WebSocketOffer {
  const offered = offeredSubprotocols(request.headers);
  return {
    subprotocols: withoutBearer(offered),
    bearerToken: bearerSubprotocol(offered),
    async accept(subprotocol) {
      // Loads the WebSocket library for the first such client.
      const { acceptWebSocket } = await import("./web-socket-connection.js");
      return acceptWebSocket(request, socket, head, { subprotocol, taken });
    },
  };
}

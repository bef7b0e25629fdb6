import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Exchange } from "../../request/exchange.js";
import { http1Exchange } from "./http1.js";
import { asksForWebSocket, webSocketOffer } from "./web-socket.js";

/**
 * A request with an Upgrade header as an exchange: Node hands out its bare connection. It can become a WebSocket; else, and
 * for protocols that are not spoken here, it is answered as any request is, and the connection ends.
 */
export function http1UpgradeExchange(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  stopping: AbortSignal,
): Exchange {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => socket.end());
  // What Node does for connections it keeps.
  socket.on("drain", () => response.emit("drain"));
  socket.on("error", () => socket.destroy());
  if (!asksForWebSocket(request)) return http1Exchange(request, response, stopping);
  return http1Exchange(request, response, stopping, (accepted) =>
    webSocketOffer(request, socket, head, () => {
      accepted();
      response.detachSocket(socket);
      socket.once("close", () => response.emit("close"));
    }),
  );
}

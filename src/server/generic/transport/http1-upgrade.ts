import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Exchange } from "../../request/exchange.js";
import { http1Exchange } from "./http1.js";
import { asksForWebSocket, webSocketOffer } from "./web-socket.js";

/** The answer to a request with an Upgrade header: Node hands out the bare connection, which ends with the answer. */
export function upgradeResponse(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => socket.end());
  // What Node does for connections it keeps.
  socket.on("drain", () => response.emit("drain"));
  socket.on("error", () => socket.destroy());
  return response;
}

/**
 * A request with an Upgrade header as an exchange. It can become a WebSocket; else, and for protocols that are not spoken
 * here, it is answered as any request is.
 */
export function http1UpgradeExchange(
  request: IncomingMessage,
  response: ServerResponse,
  head: Buffer,
  stopping: AbortSignal,
): Exchange {
  const { socket } = request;
  if (!asksForWebSocket(request)) return http1Exchange(request, response, stopping);
  return http1Exchange(request, response, stopping, (accepted) =>
    webSocketOffer(request, socket, head, () => {
      accepted();
      response.detachSocket(socket);
      socket.once("close", () => response.emit("close"));
    }),
  );
}

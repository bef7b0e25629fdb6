import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Exchange } from "../../request/exchange.js";
import { http1Exchange } from "./http1.js";
import { asksForWebSocket, webSocketOffer } from "./web-socket.js";

/**
 * An exchange for a request with an Upgrade header, for which Node hands out the bare socket. The handler may accept it as a
 * WebSocket. Otherwise it answers as usual, and the connection closes.
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
  // Node does this for connections that it manages.
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

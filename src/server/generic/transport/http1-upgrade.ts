import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Exchange } from "../../request/exchange.js";
import { http1Exchange } from "./http1.js";
import { NO_AUTHORITIES, type PeerAuthorities } from "../../../machinery/crypto/peer-authorities.js";
import { asksForUpgrade, upgradeOffer } from "./upgrade-offer.js";
import { asksForWebSocket, webSocketOffer } from "./web-socket.js";

/**
 * The response to a request with an Upgrade header, for which Node hands out the bare socket. The connection closes after
 * it.
 */
export function upgradeResponse(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => socket.end());
  // Node does this for connections that it manages.
  socket.on("drain", () => response.emit("drain"));
  socket.on("error", () => socket.destroy());
  return response;
}

/**
 * An exchange for a request with an Upgrade header. The handler may accept it as a WebSocket, or take the bare connection. Otherwise,
 * and for protocols that the server does not support, it answers as usual.
 */
export function http1UpgradeExchange(
  request: IncomingMessage,
  response: ServerResponse,
  head: Buffer,
  stopping: AbortSignal,
  peers: PeerAuthorities = NO_AUTHORITIES,
): Exchange {
  const { socket } = request;
  if (!asksForUpgrade(request)) return http1Exchange(request, response, stopping, peers);
  return http1Exchange(request, response, stopping, peers, (accepted) => {
    const taken = (): void => {
      accepted();
      response.detachSocket(socket);
      socket.once("close", () => response.emit("close"));
    };
    return {
      upgrade: upgradeOffer(request, socket, head, taken),
      ...(asksForWebSocket(request) && { webSocket: webSocketOffer(request, socket, head, taken) }),
    };
  });
}

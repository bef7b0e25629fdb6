import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Exchange, WebSocketOffer, UpgradeOffer } from "../../request/exchange.js";
import { http1Exchange } from "./http1.js";
import { NO_AUTHORITIES, type PeerAuthorities } from "../../../machinery/crypto/peer-authorities.js";
import { bearerSubprotocol, withoutBearer } from "../../../machinery/wire/web-socket/handshake.js";
import { offeredSubprotocols } from "../../../machinery/wire/web-socket/handshake.js";

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

/** True for a WebSocket handshake, recognized as kube-apiserver recognizes it. */
function asksForWebSocket({ headers }: IncomingMessage): boolean {
  const tokens = (headers.connection ?? "").toLowerCase().split(",");
  return headers.upgrade?.toLowerCase() === "websocket" && tokens.some((token) => token.trim() === "upgrade");
}

/** The offer of such a request. `taken` is called when the socket becomes the WebSocket's. */
function webSocketOffer(request: IncomingMessage, socket: Duplex, head: Buffer, taken: () => void): WebSocketOffer {
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

/** True for a request that asks for another protocol, recognized as Kubernetes' proxies recognize it. */
function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && (headers.connection ?? "").toLowerCase().includes("upgrade");
}

/** Makes the upgrade offer of a request. `taken` is called when the handler takes over the socket. */
export function upgradeOffer(request: IncomingMessage, socket: Duplex, head: Buffer, taken: () => void): UpgradeOffer {
  const protocol = request.headers.upgrade ?? "";
  return {
    protocol,
    accept(headers) {
      taken();
      const named = { connection: "Upgrade", upgrade: protocol, ...headers };
      const lines = Object.entries(named).flatMap(([name, values]) =>
        [values].flat().map((value) => `${canonical(name)}: ${value}`),
      );
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
      if (head.length > 0) socket.unshift(head);
      return socket;
    },
  };
}

const canonical = (name: string): string => name.replaceAll(/(^|-)([a-z])/g, (part) => part.toUpperCase());

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Socket } from "node:net";
import type { Server } from "./server.js";
import { http1Exchange } from "./transport/http1.js";
import { readOn } from "./transport/http1.js";
import { http1UpgradeExchange, upgradeResponse } from "./transport/http1-upgrade.js";
import { refuseWithoutHost } from "./transport/early-refusals.js";

/** The listeners by which an HTTP server of Node's serves the API: `server.on("request", handler.request).on("upgrade", handler.upgrade)`. */
export interface NodeHandler {
  readonly request: (request: IncomingMessage, response: ServerResponse) => void;
  /** WebSockets, exec, attach and port-forward come as upgrades. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/**
 * Serves the API in an HTTP server of somebody else's. What the connection proves (a client's certificate) is not looked at: callers say who they
 * are by tokens, or are anonymous.
 */
export function nodeHandler(server: Pick<Server, "handle" | "stopping">): NodeHandler {
  return {
    request(request, response) {
      readOn(request.socket, response);
      if (refuseWithoutHost(request, response)) return;
      const serve = (): void =>
        void server.handle(http1Exchange(request, response, server.stopping)).catch(() => response.destroy());
      // A pipelined request begins when the answer before it has left.
      if (response.socket === null) response.once("socket", serve);
      else serve();
    },
    upgrade(request, stream, head) {
      // Node hands out the socket of the connection.
      const socket = stream as Socket;
      const response = upgradeResponse(request, socket);
      if (refuseWithoutHost(request, response)) return;
      void server
        .handle(http1UpgradeExchange(request, response, head, server.stopping))
        .catch(() => void socket.destroy());
    },
  };
}

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { errorMessage } from "../../../base/text/error-message.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { webSocketAnswer } from "../../../machinery/wire/web-socket/handshake.js";
import { WebSocket } from "../../../machinery/wire/web-socket/web-socket.js";
import type { WebSocketConnection } from "../../request/exchange.js";
import { upgradeOffer } from "./http1-upgrade.js";

/**
 * Completes the handshake, and calls `taken` when the WebSocket takes over the socket. For an invalid handshake it throws a 400
 * StatusError before it has answered.
 */
export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { subprotocol, taken }: { readonly subprotocol: string | undefined; readonly taken: () => void },
): WebSocketConnection {
  const answer = answerTo(request, subprotocol);
  const duplex = upgradeOffer(request, socket, head, taken).accept(answer);
  return new Connection(new WebSocket(duplex, { role: "server" }));
}

function answerTo(
  { method = "", headers }: IncomingMessage,
  subprotocol: string | undefined,
): Readonly<Record<string, string>> {
  try {
    return webSocketAnswer(method, headers, subprotocol);
  } catch (error) {
    throw badRequest(errorMessage(error));
  }
}

class Connection implements WebSocketConnection {
  constructor(private readonly webSocket: WebSocket) {
    void drop(webSocket);
  }

  async send(message: Uint8Array, as: "text" | "binary"): Promise<void> {
    try {
      await this.webSocket.send([message], as);
    } catch {
      await this.webSocket.closed;
      throw new Error("the client is gone");
    }
  }

  close(): Promise<void> {
    return this.webSocket.close();
  }
}

/** Reads what the client sends, so that its pings and its end are seen. */
async function drop(webSocket: WebSocket): Promise<void> {
  try {
    for await (const _ of webSocket.pieces());
  } catch {
    // A protocol error closes the connection, and that ends the watch.
  }
}

import { errorMessage } from "../../base/text/error-message.js";
import { badRequest } from "../../machinery/errors/status-error.js";
import { webSocketAnswer } from "../../machinery/wire/web-socket/handshake.js";
import { WebSocket } from "../../machinery/wire/web-socket/web-socket.js";
import type { ApiRequest } from "../request/api-request.js";

/** Answers a client's handshake with a subprotocol that it offers. Throws 400, without an answer, for an invalid handshake. */
export function acceptWebSocket({ exchange }: ApiRequest, subprotocol: string): WebSocket {
  const { upgrade, method, headers } = exchange;
  if (upgrade === undefined) throw badRequest("Upgrade request required");
  return new WebSocket(upgrade.accept(answer()), { role: "server" });

  function answer(): Readonly<Record<string, string>> {
    try {
      return webSocketAnswer(method, headers, subprotocol);
    } catch (error) {
      throw badRequest(errorMessage(error));
    }
  }
}

import { acceptKey } from "../../machinery/wire/web-socket/handshake.js";
import { WebSocket, type WebSocketOptions } from "../../machinery/wire/web-socket/web-socket.js";
import { connectingClient } from "../rest/connecting-rest-client.js";
import type { RestClient } from "../rest/rest-client.js";
import { addressesOf } from "../transport/dial.js";
import { goNetworkReason } from "../transport/go-network-error.js";
import { isTransportError, TransportError } from "../transport/transport-error.js";
import type { Upgrade } from "../transport/transport.js";
import { upgrade } from "./upgrade.js";
import { badHandshake, UpgradeFailure } from "./upgrade-failure.js";

export interface WebSocketRequest {
  readonly path: string;
  readonly subprotocol: string;
  readonly heartbeat?: NonNullable<WebSocketOptions["heartbeat"]>;
  readonly signal?: AbortSignal | undefined;
}

export interface OpenedWebSocket {
  readonly webSocket: WebSocket;
  /** Why it broke, in client-go's words. */
  reasonOf(fault: Error): string;
}

/**
 * Opens a WebSocket with one subprotocol. Rejects with an UpgradeFailure for any other answer, and with a TransportError, without
 * method and URL as in client-go, where there is none.
 */
export async function openWebSocket(rest: RestClient, request: WebSocketRequest): Promise<OpenedWebSocket> {
  const { random } = connectingClient(rest).surroundings;
  const key = Buffer.from(random.bytes(16)).toString("base64");
  const { socket, answer } = await handshake(rest, request, key);
  const { upgrade: protocol = "", connection = "", "sec-websocket-protocol": subprotocol = "" } = answer.headers;
  const failure =
    answer.status !== 101 ||
    !hasToken(protocol, "websocket") ||
    !hasToken(connection, "upgrade") ||
    answer.headers["sec-websocket-accept"] !== acceptKey(key)
      ? badHandshake(answer)
      : subprotocol !== request.subprotocol
        ? new UpgradeFailure(
            new Error(`invalid protocol, expected one of ["${request.subprotocol}"], got "${subprotocol}"`),
          )
        : undefined;
  if (failure === undefined) {
    const { heartbeat } = request;
    return {
      webSocket: new WebSocket(socket, { role: { client: random }, ...(heartbeat && { heartbeat }) }),
      reasonOf: (fault) => goNetworkReason(fault, addressesOf(socket)),
    };
  }
  socket.destroy();
  throw failure;
}

async function handshake(
  rest: RestClient,
  { path, subprotocol, signal }: WebSocketRequest,
  key: string,
): Promise<Upgrade> {
  try {
    return await upgrade(rest, {
      method: "GET",
      path,
      headers: {
        upgrade: "websocket",
        connection: "Upgrade",
        "sec-websocket-key": key,
        "sec-websocket-version": "13",
        "sec-websocket-protocol": subprotocol,
      },
      signal,
    });
  } catch (error) {
    throw isTransportError(error) ? new TransportError(error.reason, { code: error.code, cause: error }) : error;
  }
}

const hasToken = (header: string, token: string): boolean =>
  header.split(",").some((one) => one.trim().toLowerCase() === token);

import type { MultiplexedConnection } from "../../machinery/wire/streams/byte-stream.js";
import { spdyConnection } from "../../machinery/wire/spdy/spdy-connection.js";
import type { RestClient } from "../rest/rest-client.js";
import { addressesOf } from "../transport/dial.js";
import { goNetworkReason } from "../transport/go-network-error.js";
import { isTransportError } from "../transport/transport-error.js";
import type { Upgrade } from "../transport/transport.js";
import { upgrade } from "./upgrade.js";
import { refusedUpgrade } from "./upgrade-failure.js";

export interface SpdyRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** What the client can speak, the best first. */
  readonly protocols: readonly string[];
  /** As in SpdyOptions. */
  readonly flowControl?: boolean;
  readonly signal?: AbortSignal | undefined;
}

const PING_PERIOD = 5000;

export interface OpenedSpdy {
  readonly connection: MultiplexedConnection;
  /** The one that the server has chosen; "" for none. */
  readonly protocol: string;
  /** Why the connection broke, in client-go's words. */
  reasonOf(fault: Error): string;
}

/**
 * Opens a SPDY connection. Rejects with the StatusError of a refusal, or
 * in client-go's words.
 */
export async function openSpdy(rest: RestClient, request: SpdyRequest): Promise<OpenedSpdy> {
  const { socket, answer } = await ask(rest, request);
  const { upgrade: protocol = "", connection = "" } = answer.headers;
  const upgraded =
    answer.status === 101 &&
    connection.toLowerCase().includes("upgrade") &&
    protocol.toLowerCase().includes("spdy/3.1");
  if (!upgraded) {
    socket.destroy();
    throw refusedUpgrade(answer);
  }
  return {
    connection: spdyConnection(socket, {
      role: "client",
      pingPeriod: PING_PERIOD,
      flowControl: request.flowControl ?? false,
    }),
    protocol: answer.headers["x-stream-protocol-version"] ?? "",
    reasonOf: (fault) => goNetworkReason(fault, addressesOf(socket)),
  };
}

async function ask(rest: RestClient, { method, path, protocols, signal }: SpdyRequest): Promise<Upgrade> {
  try {
    return await upgrade(rest, {
      method,
      path,
      headers: {
        connection: "Upgrade",
        upgrade: "SPDY/3.1",
        "x-stream-protocol-version": protocols,
        ...(method === "POST" && { "content-length": "0" }),
      },
      signal,
    });
  } catch (error) {
    throw isTransportError(error) ? new Error(`error sending request: ${error.message}`, { cause: error }) : error;
  }
}

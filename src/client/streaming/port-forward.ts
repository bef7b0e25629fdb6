import type { MultiplexedConnection } from "../../machinery/wire/streams/byte-stream.js";
import { PORT_FORWARD_PROTOCOL, TUNNELLED_PORT_FORWARD_PROTOCOL } from "../../machinery/wire/streams/port-forward.js";
import { spdyConnection } from "../../machinery/wire/spdy/spdy-connection.js";
import { webSocketDuplex } from "../../machinery/wire/web-socket/web-socket-duplex.js";
import type { RestClient } from "../rest/rest-client.js";
import { openSpdy } from "./open-spdy.js";
import { openWebSocket } from "./open-web-socket.js";
import { UpgradeFailure } from "./upgrade-failure.js";

export interface PortForwardOptions {
  readonly signal?: AbortSignal | undefined;
  /** Tries SPDY in a WebSocket first, and SPDY alone where the server or a proxy refuses it. */
  readonly webSockets: boolean;
}

const TUNNEL_PING_PERIOD = 10_000;

/**
 * Opens the connection of a port-forward. `path` is absolute, without the server's own path:
 * /api/v1/namespaces/default/pods/web/portforward. Rejects in client-go's words, without "error upgrading connection: ". The signal ends
 * the connection, too.
 */
export async function openPortForward(
  rest: RestClient,
  path: string,
  { signal, webSockets }: PortForwardOptions,
): Promise<MultiplexedConnection> {
  if (webSockets) {
    try {
      const { webSocket } = await openWebSocket(rest, { path, subprotocol: TUNNELLED_PORT_FORWARD_PROTOCOL, signal });
      return spdyConnection(webSocketDuplex(webSocket), {
        role: "client",
        pingPeriod: TUNNEL_PING_PERIOD,
        flowControl: true,
      });
    } catch (error) {
      if (!(error instanceof UpgradeFailure)) throw error;
    }
  }
  const request = { method: "POST", path, protocols: [PORT_FORWARD_PROTOCOL], flowControl: true, signal } as const;
  const { connection, protocol } = await openSpdy(rest, request);
  if (protocol === PORT_FORWARD_PROTOCOL) return connection;
  void connection.close();
  throw new Error(
    `unable to negotiate protocol: client supports "${PORT_FORWARD_PROTOCOL}", server returned "${protocol}"`,
  );
}

import { PORT_FORWARD_PROTOCOL, TUNNELLED_PORT_FORWARD_PROTOCOL } from "../../machinery/streaming/port-forward.js";
import { webSocketDuplex } from "../../machinery/streaming/web-socket/web-socket-duplex.js";
import type { ApiRequest } from "../request/api-request.js";
import { acceptWebSocket } from "./accept-web-socket.js";
import { askUpgrade } from "./ask-upgrade.js";
import { upgradeHeaders } from "./forwarded-headers.js";
import { join } from "./join.js";
import type { ProxyTarget } from "./proxy-target.js";
import { passRefusal } from "./proxy-upgrade.js";

/**
 * A port-forward whose SPDY connection a client tunnels in a WebSocket: the kubelet gets the SPDY connection. Its refusal is the
 * client's answer. Source: kube-apiserver's TunnelingHandler.
 */
export async function tunnelPortForward(request: ApiRequest, target: ProxyTarget): Promise<void> {
  const { exchange } = request;
  const answer = await askUpgrade(target, {
    method: "POST",
    headers: { ...withoutHandshake(upgradeHeaders(exchange)), ...SPDY },
    signal: exchange.signal,
  });
  if ("refusal" in answer) return passRefusal(answer.refusal, exchange);
  try {
    const webSocket = acceptWebSocket(request, TUNNELLED_PORT_FORWARD_PROTOCOL);
    await join(webSocketDuplex(webSocket), answer.socket, exchange.signal);
  } catch (error) {
    answer.socket.destroy();
    throw error;
  }
}

const SPDY = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": PORT_FORWARD_PROTOCOL };

const withoutHandshake = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("sec-websocket-")));

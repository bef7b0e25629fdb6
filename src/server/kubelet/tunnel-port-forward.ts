import { PORT_FORWARD_PROTOCOL, TUNNELLED_PORT_FORWARD_PROTOCOL } from "../../machinery/wire/streams/port-forward.js";
import { webSocketDuplex } from "../../machinery/wire/web-socket/web-socket-duplex.js";
import type { ApiRequest } from "../request/api-request.js";
import { acceptWebSocket, askUpgrade, join } from "./upgraded-connections.js";
import { spdyHeaders } from "./forwarded-headers.js";
import type { ProxyTarget } from "./proxy-target.js";
import { passRefusal } from "./proxy-upgrade.js";

/**
 * Serves a port-forward whose SPDY connection the client tunnels in a WebSocket: the kubelet gets the SPDY connection. A rejection
 * by the kubelet becomes the client's answer. Source: kube-apiserver's TunnelingHandler.
 */
export async function tunnelPortForward(request: ApiRequest, target: ProxyTarget): Promise<void> {
  const { exchange } = request;
  const answer = await askUpgrade(target, {
    method: "POST",
    headers: spdyHeaders(exchange, [PORT_FORWARD_PROTOCOL]),
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

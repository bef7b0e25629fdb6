import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocketOffer } from "../../request/web-socket.js";

const BEARER = "base64url.bearer.authorization.k8s.io.";

/** True when the client asks for a WebSocket, told as kube-apiserver tells it. */
export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  const tokens = (headers.connection ?? "").toLowerCase().split(",");
  return headers.upgrade?.toLowerCase() === "websocket" && tokens.some((token) => token.trim() === "upgrade");
}

/** The offer of such a request. `taken` is called when the socket is the WebSocket's from now on. */
export function webSocketOffer(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  taken: () => void,
): WebSocketOffer {
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
  const subprotocols = offered.filter((one) => one !== "" && !one.startsWith(BEARER));
  return {
    subprotocols,
    bearerToken: tokenOf(offered, subprotocols.length > 0),
    async accept(subprotocol) {
      // Loaded when the first client asks.
      const { acceptWebSocket } = await import("./web-socket-connection.js");
      return acceptWebSocket(request, socket, head, { subprotocol, taken });
    },
  };
}

/** As browsers send it: base64url, among the subprotocols, beside at least one that can be answered. */
function tokenOf(offered: readonly string[], others: boolean): string | undefined {
  const tokens = offered.filter((one) => one.startsWith(BEARER)).map((one) => one.slice(BEARER.length));
  const [token] = tokens;
  if (token === undefined || tokens.length > 1 || !others) return undefined;
  return Buffer.from(token, "base64url").toString("utf8");
}

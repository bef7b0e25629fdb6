import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocketOffer } from "../../request/web-socket.js";

const BEARER = "base64url.bearer.authorization.k8s.io.";

/** True for a WebSocket handshake, recognized as kube-apiserver recognizes it. */
export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  const tokens = (headers.connection ?? "").toLowerCase().split(",");
  return headers.upgrade?.toLowerCase() === "websocket" && tokens.some((token) => token.trim() === "upgrade");
}

/** The offer of such a request. `taken` is called when the socket becomes the WebSocket's. */
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
      // Loads the WebSocket library for the first such client.
      const { acceptWebSocket } = await import("./web-socket-connection.js");
      return acceptWebSocket(request, socket, head, { subprotocol, taken });
    },
  };
}

/** The bearer token that browsers send as a subprotocol, in base64url. Several, or one without another subprotocol beside it, are "": no token. */
function tokenOf(offered: readonly string[], others: boolean): string | undefined {
  const tokens = offered.filter((one) => one.startsWith(BEARER)).map((one) => one.slice(BEARER.length));
  const [token] = tokens;
  if (token === undefined) return undefined;
  if (tokens.length > 1 || !others) return "";
  return Buffer.from(token, "base64url").toString("utf8");
}

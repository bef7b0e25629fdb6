import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorMessage } from "../../base/text/error-message.js";
import { offeredSubprotocols, webSocketAnswer } from "../../machinery/wire/web-socket/handshake.js";
import { WebSocket } from "../../machinery/wire/web-socket/web-socket.js";
import { HttpError } from "./http-error.js";

/** A request with an Upgrade header, before it is answered. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly socket: Duplex;
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

const SPDY = "SPDY/3.1";

export const asksForWebSocket = ({ request }: UpgradeRequest): boolean =>
  (request.headers.upgrade ?? "").toLowerCase() === "websocket";

/** Accepts a WebSocket with 101 and the first subprotocol that both ends support; `known` may contain "", for a client that offers none. */
export function acceptWebSocket<T extends { readonly name: string }>(
  { request, socket }: UpgradeRequest,
  known: readonly T[],
): { readonly webSocket: WebSocket; readonly protocol: T } {
  const offered = offeredSubprotocols(request.headers);
  const protocol = (offered.length === 0 ? [""] : offered)
    .map((name) => known.find((one) => one.name === name))
    .find((one) => one !== undefined);
  if (protocol === undefined) throw new HttpError(403, "");
  let answer: Headers;
  try {
    answer = webSocketAnswer(request.method ?? "", request.headers, protocol.name);
  } catch (error) {
    throw new HttpError(400, errorMessage(error));
  }
  switchProtocols(socket, answer);
  return { webSocket: new WebSocket(socket, { role: "server" }), protocol };
}

/** Accepts SPDY with 101 and the first version of the stream protocol that both ends support; a client that offers none gets `unnamed`. */
export function acceptSpdy({ request, socket }: UpgradeRequest, known: readonly string[], unnamed: string): string {
  const offered = [request.headers["x-stream-protocol-version"] ?? []]
    .flat()
    .flatMap((one) => one.split(","))
    .map((one) => one.trim())
    .filter((one) => one !== "");
  const protocol = offered.length === 0 ? unnamed : offered.find((one) => known.includes(one));
  if (protocol === undefined) {
    throw new HttpError(
      403,
      `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(" ")}], server accepts [${known.join(" ")}]\n`,
      { "x-accepted-stream-protocol-versions": [...known] },
    );
  }
  if ((request.headers.upgrade ?? "").toLowerCase() !== SPDY.toLowerCase()) {
    throw new HttpError(
      400,
      `unable to upgrade: missing upgrade headers in request: the server upgrades to ${SPDY} and websocket\n`,
    );
  }
  switchProtocols(socket, {
    connection: "Upgrade",
    upgrade: SPDY,
    ...(offered.length > 0 && { "x-stream-protocol-version": protocol }),
  });
  return protocol;
}

function switchProtocols(socket: Duplex, headers: Headers): void {
  socket.write(`HTTP/1.1 101 ${STATUS_CODES[101] ?? ""}\r\n${headerLines(headers)}\r\n`);
}

/** Sends an HTTP error on a raw connection, and closes it. */
export function refuseUpgrade(socket: Duplex, { status, message, headers }: HttpError): void {
  const body = Buffer.from(message);
  const all = {
    ...headers,
    "content-type": "text/plain; charset=utf-8",
    "content-length": String(body.length),
    connection: "close",
  };
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${headerLines(all)}\r\n${message}`);
}

const headerLines = (headers: Headers): string =>
  Object.entries(headers)
    .flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${String(value)}\r\n`))
    .join("");

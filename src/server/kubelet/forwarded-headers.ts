import type { Exchange } from "../request/exchange.js";
import { currentSpan } from "../../machinery/tracing/request-span.js";

/** What is between two neighbours of a connection, and none of the next one's business. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** They tell a browser which other origins may read an answer. A backend does not decide that for the API server's origin. */
const CROSS_ORIGIN: ReadonlySet<string> = new Set([
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
]);

type Headers = Record<string, string>;

/**
 * The headers of a client's request as they are passed on with an upgrade: all but what told the server who the client is. The next
 * server learns the client's address.
 */
export function upgradeHeaders({ headers, remoteAddress }: Exchange): Headers {
  const passed: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !isIdentity(name)) passed[name] = value;
  }
  const before = headers["x-forwarded-for"];
  passed["x-forwarded-for"] = before === undefined ? remoteAddress : `${before}, ${remoteAddress}`;
  return { ...passed, ...currentSpan()?.headers };
}

/** The headers of the server's SPDY upgrade request, which replaces a client's WebSocket. */
export function spdyHeaders(exchange: Exchange, protocols: readonly string[]): Headers {
  const passed = Object.entries(upgradeHeaders(exchange)).filter(([name]) => !name.startsWith("sec-websocket-"));
  return {
    ...Object.fromEntries(passed),
    connection: "Upgrade",
    upgrade: "SPDY/3.1",
    "x-stream-protocol-version": protocols.join(", "),
  };
}

/** The headers of a client's request as they are passed on with an HTTP request. */
export function requestHeaders(exchange: Exchange): Headers {
  return withoutHops(upgradeHeaders(exchange));
}

/** The headers of an answer that are forwarded to the client. */
export function answerHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string | readonly string[]> {
  const given = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined && !CROSS_ORIGIN.has(entry[0]),
  );
  return withoutHops(Object.fromEntries(given));
}

function withoutHops<T extends string | readonly string[]>(headers: Record<string, T>): Record<string, T> {
  const named = String(headers["connection"] ?? "").split(",");
  const dropped = new Set([...HOP_BY_HOP, ...named.map((name) => name.trim().toLowerCase())]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)));
}

const isIdentity = (name: string): boolean => name === "authorization" || name.startsWith("impersonate-");

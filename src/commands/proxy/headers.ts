import type { IncomingMessage } from "node:http";
import type { Credentials } from "../../client/auth/authenticator.js";
import type { Endpoint } from "../../client/transport/endpoint.js";

/** What belongs to one connection only. */
const HOP_BY_HOP = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Go asks for a word that contains it, in whatever case. */
export function isUpgrade({ headers }: IncomingMessage): boolean {
  return headers.connection?.toLowerCase().includes("upgrade") === true;
}

export type Headers = Record<string, string | string[]>;

interface Sender {
  readonly endpoint: Endpoint;
  readonly credentials: Credentials;
  readonly userAgent: string;
}

/**
 * The headers to pass on: those of the request but for its connection's, those that say who asks (unless the request says so
 * itself), and where it came from.
 */
export function requestHeaders(request: IncomingMessage, { endpoint, credentials, userAgent }: Sender): Headers {
  const upgrades = isUpgrade(request);
  const named = namedByConnection(request.headers.connection);
  const headers: Headers = {};
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    const kept = upgrades || !(HOP_BY_HOP.has(name) || named.has(name));
    if (kept && values !== undefined) headers[name] = values;
  }
  if (!upgrades && /(^|,)\s*trailers\s*($|[,;])/i.test(String(request.headers.te ?? ""))) headers["te"] = "trailers";
  headers["host"] = endpoint.hostHeader;
  headers["user-agent"] ??= userAgent;
  if (endpoint.proxyAuthorization !== undefined) headers["proxy-authorization"] = endpoint.proxyAuthorization;
  const impersonates = headers["impersonate-user"] !== undefined;
  for (const [name, value] of Object.entries({ ...credentials.headers, ...credentials.repeatedHeaders })) {
    if (!(name.startsWith("impersonate-") && impersonates))
      headers[name] ??= typeof value === "string" ? value : [...value];
  }
  const peer = request.socket.remoteAddress?.replace(/^::ffff:(?=\d)/, "");
  if (peer !== undefined) {
    const before = headers["x-forwarded-for"] ?? [];
    headers["x-forwarded-for"] = [...(typeof before === "string" ? [before] : before), peer].join(", ");
  }
  return headers;
}

/** The headers of an answer as a flat list, in the order they came. */
export function responseHeaders(raw: readonly string[]): string[] {
  const pairs = Array.from({ length: raw.length / 2 }, (_, index) => [raw[index * 2] ?? "", raw[index * 2 + 1] ?? ""]);
  const connection = pairs.filter(([name]) => name?.toLowerCase() === "connection").map(([, value]) => value);
  const named = namedByConnection(connection.join());
  return pairs.flatMap(([name = "", value = ""]) =>
    HOP_BY_HOP.has(name.toLowerCase()) || named.has(name.toLowerCase()) ? [] : [name, value],
  );
}

function namedByConnection(value = ""): ReadonlySet<string> {
  return new Set(value.split(",").map((name) => name.trim().toLowerCase()));
}

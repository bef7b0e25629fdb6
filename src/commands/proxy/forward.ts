import {
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
  type ServerResponse,
} from "node:http";
import { pipeline, type Duplex } from "node:stream";
import type { Authenticator, Credentials } from "../../client/auth/authenticator.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { addressesOf } from "../../client/transport/dial.js";
import { type Endpoint, endpointOf, type TransportSurroundings } from "../../client/transport/endpoint.js";
import { goNetworkReason, NetworkFailure } from "../../client/transport/go-network-error.js";
import { DialingAgent } from "../../client/transport/node-https.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { answerError, answerNotFound } from "./answers.js";
import { contentTypeOf, SNIFFED_BYTES } from "./content-type.js";
import { type Filter, isAccepted } from "./filter.js";
import { type Exchange, type Handler, escapedPath, type UrlPath } from "./routes.js";
import { withoutTrailing } from "../../base/text/without-trailing.js";

export interface ProxyHandlerOptions extends TransportSurroundings {
  readonly config: ClientConfig;
  readonly authenticate: Authenticator;
  readonly filter: Filter | undefined;
  readonly apiPrefix: string;
  readonly appendServerPath: boolean;
  readonly logError: (source: string, text: string) => void;
}

/** Forwards requests to the server of a config, with its credentials; responses are streamed. */
export function proxyHandler(options: ProxyHandlerOptions): { readonly handler: Handler; readonly close: () => void } {
  const { config, filter, apiPrefix, appendServerPath } = options;
  const endpoint = endpointOf(config, options);
  const agent = new DialingAgent(endpoint, Number.POSITIVE_INFINITY);
  const prefix = `${withoutTrailing(config.server.slice(endpoint.origin.length), "/")}/`;
  const handler: Handler = (exchange) => {
    const { request, response } = exchange;
    const url = withoutPrefix(exchange.url, apiPrefix);
    if (url === undefined) return answerNotFound(response);
    const { method = "GET" } = request;
    const { host = "" } = request.headers;
    if (filter !== undefined && !isAccepted(filter, { method, path: url.path, host })) {
      return answerError(response, 403);
    }
    const path = escapedPath(url);
    const target = (appendServerPath ? prefix + path.replace(/^\//, "") : path) + url.query;
    void send(exchange, target, { endpoint, agent, ...options });
  };
  return { handler, close: () => agent.destroy() };
}

/** The prefix is taken off but for a slash, save one that begins as the API's own paths do. */
function withoutPrefix(url: UrlPath, prefix: string): UrlPath | undefined {
  if (prefix.startsWith("/api")) return url;
  if (!url.path.startsWith(prefix)) return undefined;
  const rest = url.path.slice(prefix.length);
  return { ...url, path: rest === "" || rest.startsWith("/") ? rest : `/${rest}` };
}

interface Upstream extends Pick<ProxyHandlerOptions, "config" | "authenticate" | "logError"> {
  readonly endpoint: Endpoint;
  readonly agent: DialingAgent;
}

async function send(exchange: Exchange, path: string, upstream: Upstream): Promise<void> {
  const { request, response } = exchange;
  let sent: ClientRequest | undefined;
  const fail = (error: unknown): void => {
    const reason = isTransportError(error) ? error.reason : goNetworkReason(error, addressesOf(sent?.socket));
    upstream.logError("proxy_server.go:147", `Error while proxying request: ${reason}`);
    if (!response.headersSent) answerError(response, 500, reason);
    else response.destroy();
  };
  try {
    const { endpoint, agent, config } = upstream;
    const credentials = await upstream.authenticate();
    const options = {
      method: request.method ?? "GET",
      host: endpoint.target.host,
      port: endpoint.target.port,
      servername: "",
      path: endpoint.absoluteForm ? endpoint.origin + path : path,
      headers: requestHeaders(request, { endpoint, credentials, userAgent: config.userAgent }),
    };
    if (isUpgrade(request)) return passUpgrade(exchange, options, endpoint, fail);
    sent = httpRequest({ ...options, agent });
    sent.on("error", fail);
    sent.on("response", (answer) => {
      if (answer.statusCode === 401) credentials.refused();
      passAnswer(answer, exchange);
    });
    const outgoing = sent;
    response.on("close", () => outgoing.destroy());
    request.pipe(sent);
  } catch (error) {
    fail(error);
  }
}

/** Head and body, each piece as it comes: a watch has no end to wait for. */
function passAnswer(answer: IncomingMessage, { response }: Exchange): void {
  const { statusCode = 502, rawHeaders, headers } = answer;
  const begin = (more: readonly string[] = []): void => {
    response.writeHead(statusCode, [...responseHeaders(rawHeaders), ...more]);
    response.flushHeaders();
    pipeline(answer, response, () => undefined);
  };
  if (headers["content-type"] !== undefined || headers["content-encoding"] !== undefined) return begin();
  // Go says what a body seems to be where the server does not.
  answer.once("readable", () => {
    const first: unknown = answer.read();
    if (!Buffer.isBuffer(first)) return begin();
    answer.unshift(first);
    begin(["Content-Type", contentTypeOf("", () => first.subarray(0, SNIFFED_BYTES))]);
  });
}

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
function isUpgrade({ headers }: IncomingMessage): boolean {
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
function requestHeaders(request: IncomingMessage, { endpoint, credentials, userAgent }: Sender): Headers {
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
function responseHeaders(raw: readonly string[]): string[] {
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

/**
 * Passes on a request for another protocol (exec, attach, port-forward, a watch over WebSocket) on a connection of its own.
 * Once the server agrees both connections are one; a refusal is passed back as it is, and anything else fails.
 */
function passUpgrade(
  { request, response, upgrade }: Exchange,
  options: RequestOptions,
  endpoint: Endpoint,
  fail: (error: unknown) => void,
): void {
  const agent = new DialingAgent(endpoint, 1);
  const outgoing = httpRequest({ ...options, agent });
  outgoing.on("error", fail);
  // What was upgraded is the agent's no more.
  outgoing.on("close", () => agent.destroy());
  outgoing.on("response", (answer) => refused(answer, response, fail));
  outgoing.on("upgrade", (answer, server, serverHead) => {
    if (upgrade === undefined) {
      server.destroy();
      return fail(new NetworkFailure("request connection cannot be hijacked"));
    }
    const { socket: client, head } = upgrade;
    client.write(headOf(answer));
    client.write(serverHead);
    server.write(head);
    join(client, server);
  });
  if (upgrade === undefined) request.pipe(outgoing);
  else outgoing.end();
}

function refused(answer: IncomingMessage, response: ServerResponse, fail: (error: unknown) => void): void {
  const { statusCode = 0, rawHeaders } = answer;
  if (statusCode < 400) {
    answer.destroy();
    return fail(new NetworkFailure(`invalid upgrade response: status code ${statusCode}`));
  }
  response.writeHead(statusCode, [...rawHeaders]);
  answer.pipe(response);
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode ?? 101} ${statusMessage ?? ""}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index] ?? ""}: ${rawHeaders[index + 1] ?? ""}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Whatever comes on one goes out on the other; when one is over, so is the other. */
function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
    from.pipe(to);
  }
}

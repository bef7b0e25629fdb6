import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { pipeline } from "node:stream";
import type { Authenticator } from "../../client/auth/authenticator.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { addressesOf } from "../../client/transport/dial.js";
import { type Endpoint, endpointOf, type TransportSurroundings } from "../../client/transport/endpoint.js";
import { goNetworkReason } from "../../client/transport/go-network-error.js";
import { DialingAgent } from "../../client/transport/node-https.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { answerError, answerNotFound } from "./answers.js";
import { contentTypeOf, SNIFFED_BYTES } from "./content-type.js";
import { type Filter, isAccepted } from "./filter.js";
import { isUpgrade, requestHeaders, responseHeaders } from "./headers.js";
import type { Exchange, Handler } from "./routes.js";
import { passUpgrade } from "./upgrade.js";
import { escapedPath, type UrlPath } from "./url-path.js";
import { withoutTrailing } from "../../base/text/without-trailing.js";

export interface ProxyHandlerOptions extends TransportSurroundings {
  readonly config: ClientConfig;
  readonly authenticate: Authenticator;
  readonly filter: Filter | undefined;
  readonly apiPrefix: string;
  readonly appendServerPath: boolean;
  readonly logError: (source: string, text: string) => void;
}

/** Passes requests on to the server of a config, with its credentials; answers come back as they arrive. */
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

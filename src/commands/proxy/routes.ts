import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { answerMalformed, answerNotFound, answerRedirect } from "./answers.js";
import { cleanedPath, escapedPath, escapePath, type UrlPath, urlPath } from "./url-path.js";

/** One request on its way through the proxy. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: UrlPath;
  /** What arrived after the head of a request that asks for another protocol. */
  readonly upgrade?: { readonly socket: Duplex; readonly head: Buffer };
}

export type Handler = (exchange: Exchange) => void;

/**
 * Chooses by the longest prefix, as Go's ServeMux does: a path that is not clean, or lacks the slash of a prefix, is
 * redirected; what has no prefix is not found.
 */
export function routes(
  handlers: readonly (readonly [prefix: string, handler: Handler])[],
): (request: IncomingMessage, response: ServerResponse, upgrade?: Exchange["upgrade"]) => void {
  const longestFirst = handlers.toSorted(([a], [b]) => b.length - a.length);
  return (request, response, upgrade) => {
    const { method = "GET", url: address = "/" } = request;
    const url = urlPath(address);
    if (url === undefined) return answerMalformed(response);
    const sent = escapedPath(url);
    const path = method === "CONNECT" ? sent : cleanedPath(sent);
    const slashless = longestFirst.some(([prefix]) => prefix === `${path}/`);
    if (slashless) return answerRedirect(response, method, `${escapePath(path)}/${url.query}`);
    const handler = longestFirst.find(([prefix]) => path.startsWith(prefix))?.[1];
    if (path !== sent) return answerRedirect(response, method, escapePath(path) + url.query);
    if (handler === undefined) return answerNotFound(response);
    handler({ request, response, url, ...(upgrade !== undefined && { upgrade }) });
  };
}

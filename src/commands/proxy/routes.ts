import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { answerMalformed, answerNotFound, answerRedirect } from "./answers.js";

/** A request to the proxy with its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: UrlPath;
  /** What arrived after the head of a request that asks for another protocol. */
  readonly upgrade?: { readonly socket: Duplex; readonly head: Buffer };
}

export type Handler = (exchange: Exchange) => void;

/**
 * Chooses a handler by the longest prefix, as Go's ServeMux does: a path that is not clean, or lacks the slash of a prefix, is
 * redirected; a path without a handler is not found.
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

/** The path of a request as Go's url.URL has it: as sent, and decoded. */
export interface UrlPath {
  /** Escapes resolved. */
  readonly path: string;
  /** As it was sent. */
  readonly raw: string;
  /** With its question mark, or "". */
  readonly query: string;
}

/** Undefined for an address that no URL may hold. */
function urlPath(address: string): UrlPath | undefined {
  // A proxy may be sent a whole URL.
  const target = address.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "");
  const mark = target.indexOf("?");
  const raw = mark < 0 ? target : target.slice(0, mark);
  const path = unescapePath(raw);
  return path === undefined ? undefined : { path, raw, query: mark < 0 ? "" : target.slice(mark) };
}

function unescapePath(raw: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(raw)) return undefined;
  const bytes = Buffer.from(raw, "latin1");
  const text = bytes.toString("latin1").replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => {
    return String.fromCharCode(Number.parseInt(hex, 16));
  });
  return Buffer.from(text, "latin1").toString("utf8");
}

/** Escapes a path as Go does. */
export function escapePath(path: string): string {
  return [...Buffer.from(path)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

/** Returns the path as it was sent if that encodes the path, else the path encoded again. */
export function escapedPath({ path, raw }: Pick<UrlPath, "path" | "raw">): string {
  return unescapePath(raw) === path && !/[^!-~]|["<>\\^`{|}]/.test(raw) ? raw : escapePath(path);
}

/** Cleans a path: without ".", ".." and doubled slashes. A slash at the end stays. */
export function cleanedPath(path: string): string {
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  const cleaned = `/${kept.join("/")}`;
  return path.endsWith("/") && cleaned !== "/" ? `${cleaned}/` : cleaned;
}

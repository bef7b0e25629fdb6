import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { goNetworkReason } from "../../client/transport/go-network-error.js";
import { serviceUnavailable } from "../../machinery/errors/status-error.js";
import { respondHead } from "../request/respond.js";
import type { ApiRequest } from "../request/api-request.js";
import type { Exchange } from "../request/exchange.js";
import { answerHeaders, requestHeaders } from "./forwarded-headers.js";
import { withLinks } from "./html-links.js";
import { authorityOf, type ProxyTarget, requestOf } from "./proxy-target.js";
import { proxyUpgrade } from "./proxy-upgrade.js";
import { type Sent, sendOn } from "./sent-request.js";

/**
 * Passes a request on to the target and its answer back, both as they come. `subpath` is what the client asks of the target, with its
 * slash; a client that leaves the slash out is redirected, so that the target's relative links lead to the target. Source:
 * apimachinery's UpgradeAwareHandler.
 */
export async function proxyHttp(
  request: ApiRequest,
  target: Omit<ProxyTarget, "path">,
  subpath: string,
): Promise<void> {
  const { exchange, info } = request;
  const search = searchOf(exchange.uri);
  if (exchange.upgrade !== undefined) return proxyUpgrade(request, { ...target, path: `${cleaned(subpath)}${search}` });
  if (subpath === "" && (exchange.method === "GET" || exchange.method === "HEAD")) {
    await respondHead(request, 301, { location: `${info.path}/${search}` }).end();
    return;
  }
  const path = cleaned(subpath);
  const { answer, outgoing } = await send(request, { ...target, path: `${path}${search}` });
  try {
    const prefix = info.path.endsWith(path) ? info.path.slice(0, -path.length) : info.path;
    await passAnswer(answer, exchange, { target: authorityOf(target), prefix });
  } finally {
    // A target that has answered needs no more of the request's body.
    outgoing.destroy();
  }
}

async function passAnswer(
  answer: IncomingMessage,
  exchange: Exchange,
  { target, prefix }: { readonly target: string; readonly prefix: string },
): Promise<void> {
  const headers = answerHeaders(answer.headers);
  const { location } = answer.headers;
  const host = exchange.authority ?? exchange.headers["host"] ?? "";
  if (location !== undefined) headers["location"] = rewritten(location, target, host, prefix);
  const coding = location === undefined ? codingOfPage(answer.headers) : undefined;
  // Links through the proxy are longer.
  if (coding !== undefined) delete headers["content-length"];
  const writer = exchange.respond(answer.statusCode ?? 502, headers);
  if (exchange.method === "HEAD") answer.resume();
  else {
    const rewrite = (address: string): string => rewritten(address, target, host, escaped(prefix));
    const body = coding === undefined ? answer : pageWithLinks(answer, coding, rewrite);
    for await (const chunk of body) await writer.write(chunk as Uint8Array);
  }
  await writer.end();
}

/** How an answer is encoded whose body is HTML that can be read; undefined for another answer. */
function codingOfPage(headers: IncomingHttpHeaders): "" | "gzip" | undefined {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  const coding = headers["content-encoding"] ?? "";
  return type.trim() === "text/html" && (coding === "" || coding === "gzip") ? coding : undefined;
}

function pageWithLinks(
  answer: IncomingMessage,
  coding: "" | "gzip",
  rewrite: (address: string) => string,
): AsyncIterable<Uint8Array> {
  const links = (page: AsyncIterable<Uint8Array>) => withLinks(page, rewrite);
  // What goes wrong is thrown where the last of them is read.
  return coding === "" ? links(answer) : pipeline(answer, createGunzip(), links, createGzip(), () => {});
}

/** As a part of an attribute's value in HTML, quoted or not. */
const escaped = (text: string): string => text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The query as the client sent it, with its question mark; empty without one. What node:http does not send is encoded. */
function searchOf(uri: string): string {
  const [, query = ""] = /\?([^]*)$/.exec(uri) ?? [];
  return query === ""
    ? ""
    : `?${query.replaceAll(/[^\x21-\xff]+/g, (text) => encodeURIComponent(String(Buffer.from(text))))}`;
}

/** The path without "." and "..", which must not lead out of what is proxied, and without empty segments. */
function cleaned(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    const plain = segment.replaceAll(/%2e/gi, ".");
    if (plain === "" || plain === ".") continue;
    if (plain === "..") segments.pop();
    else segments.push(segment);
  }
  return `/${segments.join("/")}${segments.length > 0 && path.endsWith("/") ? "/" : ""}`;
}

/** Resolves with the head of the answer; the target may answer before it has the whole body. */
async function send({ exchange, info }: ApiRequest, target: ProxyTarget): Promise<Sent> {
  const headers = requestHeaders(exchange);
  headers["x-forwarded-uri"] = info.path;
  const { host } = exchange.headers;
  headers["host"] = authorityOf(target);
  if (host !== undefined) headers["x-forwarded-host"] = host;
  headers["x-forwarded-proto"] = "https";
  const { method, signal } = exchange;
  try {
    return await sendOn(exchange, headers, (all) => requestOf(target, { method, headers: all, signal }));
  } catch (error) {
    throw serviceUnavailable(`error trying to reach service: ${goNetworkReason(error)}`);
  }
}

/** A redirection or a link that stays at the target leads through the proxy: `prefix` is the proxy's path. */
function rewritten(location: string, target: string, host: string, prefix: string): string {
  const [, scheme = "", authority, path = ""] =
    /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?(.*)$/i.exec(location) ?? [];
  if (scheme !== "" && authority === undefined) return location;
  const isElsewhere = authority !== undefined && authority !== "" && authority !== target && authority !== host;
  if (isElsewhere || !path.startsWith("/")) return location;
  const here = authority === host && authority !== undefined ? location.slice(0, location.length - path.length) : "";
  return path.startsWith(prefix) ? `${here}${path}` : `${here}${prefix}${path}`;
}

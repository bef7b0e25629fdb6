import type { Streams } from "../../cli/factory.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { goQuote } from "../../base/go-quote.js";
import { write } from "./write.js";

/** Refuses what Go's url.ParseRequestURI refuses. */
export function checkRequestUri(uri: string): void {
  const refuse = (reason: string): Error =>
    new Error(`--raw must be a valid URL path: parse ${goQuote(uri)}: ${reason}`);
  if (Array.from(uri).some((character) => character < " " || character === "\u007f")) {
    throw refuse("net/url: invalid control character in URL");
  }
  if (!uri.startsWith("/") && !/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(uri)) throw refuse("invalid URI for request");
  const [path = ""] = uri.split("?");
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path);
  if (escape !== null) throw refuse(`invalid URL escape ${goQuote(escape[0])}`);
}

/** Prints the answer's bytes as they arrive. */
export async function getRaw(
  client: RestClient,
  { raw, signal }: { readonly raw: string; readonly signal: AbortSignal },
  streams: Streams,
): Promise<void> {
  const { path, query } = split(raw);
  const { body } = await client.stream({ method: "GET", path, query, signal });
  for await (const chunk of body) await write(streams.out, chunk);
}

function split(uri: string): { readonly path: string; readonly query: Readonly<Record<string, readonly string[]>> } {
  const relative = uri.startsWith("/") ? uri : uri.replace(/^[^:]*:(\/\/[^/?#]*)?/, "");
  const [beforeFragment = ""] = relative.split("#");
  const mark = beforeFragment.indexOf("?");
  if (mark === -1) return { path: beforeFragment, query: {} };
  const query: Record<string, string[]> = {};
  for (const [key, value] of new URLSearchParams(beforeFragment.slice(mark + 1))) (query[key] ??= []).push(value);
  return { path: beforeFragment.slice(0, mark), query };
}

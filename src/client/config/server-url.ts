import { goQuote } from "../../base/go-quote.js";

/**
 * The server's base URL without a trailing slash, as client-go understands a `server`: a URL, or host:port, which
 * becomes http, or https where `defaultTls` (certificates were given). Throws on a path without a scheme.
 */
export function serverUrl(host: string, defaultTls: boolean): string {
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/([^/?#]+)([^?#]*)/.exec(host);
  if (match) {
    const [, scheme = "", authority = "", path = ""] = match;
    return `${scheme.toLowerCase()}://${authority}${path.replace(/\/+$/, "")}`;
  }
  const [, authority = "", path = ""] = /^([^/?#]*)([^?#]*)/.exec(host) ?? [];
  const foreign = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\//.test(host);
  if (foreign || (path !== "" && path !== "/")) {
    throw new Error(`host must be a URL or a host:port pair: ${goQuote(host)}`);
  }
  return `${defaultTls ? "https" : "http"}://${authority}`;
}

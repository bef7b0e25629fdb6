import { goQuote } from "../../base/go-quote.js";
import { TransportError } from "../transport/transport-error.js";

/**
 * The server's base URL without a trailing slash, as client-go understands a `server`: a URL, or host:port, which
 * becomes http, or https where `defaultTls` (certificates were given). Throws on a path without a scheme.
 */
export function serverUrl(host: string, defaultTls: boolean): string {
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/([^/?#]+)([^?#]*)/.exec(host);
  if (match && hostFault(match[2] ?? "") === undefined) {
    const [, scheme = "", authority = "", path = ""] = match;
    return `${scheme.toLowerCase()}://${authority}${path.replace(/\/+$/, "")}`;
  }
  const [, authority = "", path = ""] = /^([^/?#]*)([^?#]*)/.exec(host) ?? [];
  const foreign = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\//.test(host);
  const escape = /%(?![0-9a-f]{2}).{0,2}/i.exec(foreign ? host : path)?.[0];
  if (escape !== undefined)
    throw new TransportError(`invalid URL escape ${goQuote(escape)}`, { method: "parse", url: host });
  if (foreign || (path !== "" && path !== "/")) {
    throw new Error(`host must be a URL or a host:port pair: ${goQuote(host)}`);
  }
  const url = `${defaultTls ? "https" : "http"}://${authority}`;
  const fault = hostFault(authority);
  if (fault !== undefined) throw new TransportError(fault, { method: "parse", url });
  return url;
}

/** What Go's URL parser says of `[user@]host[:port]`; undefined where it is content. */
export function hostFault(authority: string): string | undefined {
  const address = authority.slice(authority.lastIndexOf("@") + 1);
  const closing = address.startsWith("[") ? address.lastIndexOf("]") : undefined;
  if (closing === -1) return "missing ']' in host";
  const after = closing === undefined ? address.slice(address.split(":", 1)[0]?.length) : address.slice(closing + 1);
  if (!/^(:[0-9]*)?$/.test(after)) return `invalid port ${goQuote(after)} after host`;
  // Only a zone of an IPv6 address may be escaped.
  const escaped = closing === undefined ? /%.{0,2}/s.exec(address)?.[0] : undefined;
  if (escaped !== undefined) return `invalid URL escape ${goQuote(escaped)}`;
  const bad = Array.from(address).find((char) => char <= " " || char === "\u007f" || "#/?@\\^`{|}".includes(char));
  return bad === undefined ? undefined : `invalid character ${goQuote(bad)} in host name`;
}

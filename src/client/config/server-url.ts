import { goQuote } from "../../base/text/go-quote.js";
import { TransportError } from "../transport/transport-error.js";
import { withoutTrailing } from "../../base/text/without-trailing.js";

/**
 * The base URL of a `server`, without a trailing slash, as client-go reads it: a URL or host:port. host:port becomes http,
 * or https with `defaultTls`, which is true when certificates are configured. Throws for a path without a scheme.
 */
export function serverUrl(host: string, defaultTls: boolean): string {
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/([^/?#]+)([^?#]*)/.exec(host);
  if (match && hostFault(match[2] ?? "") === undefined) {
    const [, scheme = "", authority = "", path = ""] = match;
    return `${scheme.toLowerCase()}://${authority}${withoutTrailing(path, "/")}`;
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

/** The error of Go's URL parser for `[user@]host[:port]`; undefined when it is valid. */
export function hostFault(authority: string): string | undefined {
  const address = authority.slice(authority.lastIndexOf("@") + 1);
  const closing = address.startsWith("[") ? address.lastIndexOf("]") : undefined;
  if (closing === -1) return "missing ']' in host";
  const after = closing === undefined ? address.slice(address.split(":", 1)[0]?.length) : address.slice(closing + 1);
  if (!/^(:[0-9]*)?$/.test(after)) return `invalid port ${goQuote(after)} after host`;
  // Percent-encoding is allowed only in the zone of an IPv6 address.
  const escaped = closing === undefined ? /%.{0,2}/s.exec(address)?.[0] : undefined;
  if (escaped !== undefined) return `invalid URL escape ${goQuote(escaped)}`;
  const bad = Array.from(address).find((char) => char <= " " || char === "\u007f" || "#/?@\\^`{|}".includes(char));
  return bad === undefined ? undefined : `invalid character ${goQuote(bad)} in host name`;
}

/** Parses a proxy-url. Throws in kubectl's words unless the scheme is http, https or socks5. */
export function parseProxyUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    // Go parses a relative reference as a URL without a scheme, unless its first segment contains a colon.
    if (/^[^/?#]*:/.test(text)) throw new Error(`could not parse: ${text}`);
    throw new Error(`unsupported scheme "", must be http, https, or socks5`);
  }
  const scheme = url.protocol.slice(0, -1);
  if (!["http", "https", "socks5"].includes(scheme)) {
    throw new Error(`unsupported scheme ${goQuote(scheme)}, must be http, https, or socks5`);
  }
  return url;
}

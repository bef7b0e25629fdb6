import { goQuote } from "../../base/text/go-quote.js";

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

import { goQuote } from "../../base/go-quote.js";

/** Reads a proxy-url. Throws, worded as kubectl words it, on anything but http, https and socks5. */
export function parseProxyUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    // A relative reference parses in Go, as a URL without a scheme; a colon in its first segment does not.
    if (/^[^/?#]*:/.test(text)) throw new Error(`could not parse: ${text}`);
    throw new Error(`unsupported scheme "", must be http, https, or socks5`);
  }
  const scheme = url.protocol.slice(0, -1);
  if (!["http", "https", "socks5"].includes(scheme)) {
    throw new Error(`unsupported scheme ${goQuote(scheme)}, must be http, https, or socks5`);
  }
  return url;
}

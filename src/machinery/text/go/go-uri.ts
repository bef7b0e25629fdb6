import { goQuote } from "../../../base/text/go-quote.js";

/**
 * An ASCII URI as Go writes the one it parsed: the scheme in small letters, no empty fragment, and a path that is
 * encoded. Throws, in Go's words, for what it does not parse, and for a host that cannot be a domain.
 */
export function goUri(uri: string): string {
  const [, scheme = "", rest = "", query = "", fragment = ""] = PARTS.exec(uri) ?? [];
  const opaque = scheme !== "" && !rest.startsWith("/");
  const [, authority = "", path = ""] = /^(\/\/[^/]*)?(.*)$/s.exec(opaque ? "" : rest) ?? [];
  const host = authority.slice(Math.max(2, authority.lastIndexOf("@") + 1));
  const problem = problemOf(uri, scheme, rest + fragment, host);
  if (problem !== undefined) throw new Error(`parse ${goQuote(uri)}: ${problem}`);
  if (/\.\.|\.$/.test(host)) throw new Error("invalid domain");
  const shown = opaque ? rest : `${authority}${encoded(path, PATH)}`;
  const end = fragment.length > 1 ? `#${encoded(fragment.slice(1), FRAGMENT)}` : "";
  return `${scheme.toLowerCase()}${shown}${query}${end}`;
}

const PARTS = /^([A-Za-z][A-Za-z0-9+.-]*:)?([^?#]*)(\?[^#]*)?(#.*)?$/s;

function problemOf(uri: string, scheme: string, escapes: string, host: string): string | undefined {
  if (Array.from(uri).some((character) => character < " " || character === "\x7f"))
    return "net/url: invalid control character in URL";
  if (uri.startsWith(":")) return "missing protocol scheme";
  if (scheme === "" && /^[^/?#]*:/.test(uri)) return "first path segment in URL cannot contain colon";
  const [escape] = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(escapes) ?? [];
  if (escape !== undefined) return `invalid URL escape ${goQuote(escape)}`;
  const [port] = /:(?!\d*$)[^:\]]*$/.exec(host) ?? [];
  if (port !== undefined) return `invalid port ${goQuote(port)} after host`;
  const [character] = /[^\w\-.~!$&'()*+,;=:[\]<>"%]/.exec(host) ?? [];
  return character === undefined ? undefined : `invalid character ${goQuote(character)} in host name`;
}

/** What may stay as it is, and what is escaped where something may not. */
const PATH = { allowed: /^[\w\-.~!$&'()*+,;=:@[\]%/]*$/, escaped: /[^\w\-.~$&+,;=:@/]/ };
const FRAGMENT = { allowed: /^[\w\-.~!$&'()*+,;=:@[\]%/?]*$/, escaped: /[^\w\-.~!$&()*+,;=:@/?]/ };

function encoded(part: string, { allowed, escaped }: typeof PATH): string {
  if (allowed.test(part)) return part;
  const bytes = part.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Array.from(bytes, (byte) => (escaped.test(byte) ? percent(byte) : byte)).join("");
}

const percent = (byte: string): string => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

import { goQuote } from "../../../base/text/go-quote.js";
import { NetipError, parseAddr } from "./netip.js";

/** A URL as Go's net/url parses it. Everything is decoded except the user, the escaped path, the query and the opaque part. */
export interface GoUrl {
  /** In lower case; "" for none. */
  readonly scheme: string;
  /** As Go writes it, "user" or "user:password"; undefined where there is no "@". */
  readonly userinfo: string | undefined;
  /** With its port; an IPv6 address stands in brackets. */
  readonly host: string;
  readonly escapedPath: string;
  /** What is behind the question mark. */
  readonly rawQuery: string;
  readonly fragment: string;
  /** The URL as Go writes it: two URLs are equal if this is. */
  readonly text: string;
}

/** Go's error for an invalid URL, which quotes the input. */
export class GoUrlError extends Error {}

/** Why a part of a URL is wrong, in Go's words. */
class PartError extends Error {}

/**
 * Checks a text as Go's `url.ParseRequestURI` does: it must be an absolute URL or a path from the root; "#" begins no fragment.
 * Throws {@link GoUrlError}.
 */
export function checkRequestUri(text: string): void {
  of(text, () => parse(text, true));
}

/** Parses a URL as Go's `url.Parse` does. Throws {@link GoUrlError}. */
export function parseGoUrl(text: string): GoUrl {
  const [before, fragment = ""] = cut(text, "#");
  const parts = of(before, () => parse(before, false));
  const shown = fragment === "" ? "" : `#${of(text, () => encodedFragment(fragment))}`;
  const { scheme, userinfo, host, escapedPath, rawQuery } = parts;
  const decoded = { host: fromUtf8(host), fragment: fromUtf8(unescape(fragment)) };
  return { scheme, userinfo, escapedPath, rawQuery, ...decoded, text: `${write(parts)}${shown}` };
}

function of<T>(text: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw error instanceof PartError ? new GoUrlError(`parse ${goQuote(text)}: ${error.message}`) : error;
  }
}

/** The text before a separator and what is behind it, if it is there. */
function cut(text: string, separator: string): readonly [string, string | undefined] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

interface Parts {
  readonly scheme: string;
  /** What follows the scheme where that is no slash. */
  readonly opaque: string;
  readonly userinfo: string | undefined;
  /** Its bytes. */
  readonly host: string;
  readonly escapedPath: string;
  readonly rawQuery: string;
  /** Whether there is a question mark, whatever is behind it. */
  readonly hasQuery: boolean;
  /** Whether two slashes are there. */
  readonly hasAuthority: boolean;
}

const NOTHING: Parts = {
  scheme: "",
  opaque: "",
  userinfo: undefined,
  host: "",
  escapedPath: "",
  rawQuery: "",
  hasQuery: false,
  hasAuthority: false,
};

function parse(text: string, viaRequest: boolean): Parts {
  if (hasControlCharacter(text)) {
    throw new PartError("net/url: invalid control character in URL");
  }
  if (text === "" && viaRequest) throw new PartError("empty url");
  if (text === "*") return { ...NOTHING, escapedPath: "*" };
  if (text.startsWith(":")) throw new PartError("missing protocol scheme");
  const [, written] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text) ?? [];
  const scheme = (written ?? "").toLowerCase();
  const [rest, query] = cut(written === undefined ? text : text.slice(written.length + 1), "?");
  const queried = { rawQuery: query ?? "", hasQuery: query !== undefined };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...NOTHING, ...queried, scheme, opaque: rest };
    if (viaRequest) throw new PartError("invalid URI for request");
    if (/^[^/]*:/.test(rest)) throw new PartError("first path segment in URL cannot contain colon");
  }
  const hasAuthority = rest.startsWith("//") && (scheme !== "" || !(viaRequest || rest.startsWith("///")));
  const [, authority = "", path = ""] = hasAuthority ? (/^\/\/([^/]*)(.*)$/s.exec(rest) ?? []) : ["", "", rest];
  return {
    ...NOTHING,
    ...queried,
    scheme,
    hasAuthority,
    ...parseAuthority(scheme, authority),
    escapedPath: encodedPath(path),
  };
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

const USERINFO = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;

function parseAuthority(scheme: string, authority: string): Pick<Parts, "userinfo" | "host"> {
  const at = authority.lastIndexOf("@");
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { userinfo: undefined, host };
  const userinfo = authority.slice(0, at);
  if (!USERINFO.test(userinfo)) throw new PartError("net/url: invalid userinfo");
  const [name, password] = cut(userinfo, ":");
  const escaped = [name, password].flatMap((part) => (part === undefined ? [] : [escape(unescape(part), USER)]));
  return { userinfo: escaped.join(":"), host };
}

function parseHost(scheme: string, host: string): string {
  const open = host.lastIndexOf("[");
  if (open > 0) throw new PartError("invalid IP-literal");
  if (open === 0) return parseIpLiteral(host);
  // Only of http and https Go looks at all colons: lists of hosts stand in the URLs of databases.
  const strict = scheme === "http" || scheme === "https";
  const colon = strict ? host.indexOf(":") : host.lastIndexOf(":");
  if (colon >= 0) requirePort(host.slice(colon));
  return unescapeHost(host);
}

function parseIpLiteral(host: string): string {
  const close = host.lastIndexOf("]");
  if (close < 0) throw new PartError("missing ']' in host");
  const port = host.slice(close + 1);
  requirePort(port);
  const name = host.slice(1, close);
  const zone = name.indexOf("%25");
  const address = zone < 0 ? unescapeHost(name) : unescapeHost(name.slice(0, zone)) + unescapeZone(name.slice(zone));
  try {
    if (parseAddr(fromUtf8(address)).bytes.length === 4) throw new PartError("invalid IP-literal");
  } catch (error) {
    throw error instanceof NetipError ? new PartError(`invalid host: ${error.message}`) : error;
  }
  return `[${address}]${port}`;
}

function requirePort(text: string): void {
  if (!/^(?::[0-9]*)?$/.test(text)) throw new PartError(`invalid port ${goQuote(text)} after host`);
}

/** Splits {@link GoUrl.host} into host and port. */
export function hostAndPort(host: string): { readonly hostname: string; readonly port: string } {
  const colon = host.lastIndexOf(":");
  const hasPort = colon >= 0 && /^[0-9]*$/.test(host.slice(colon + 1));
  const name = hasPort ? host.slice(0, colon) : host;
  const hostname = name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
  return { hostname, port: hasPort ? host.slice(colon + 1) : "" };
}

const ESCAPE = /%([0-9a-fA-F]{2})?/g;

/** The bytes of UTF-8 that a text with escapes stands for, each a character. Throws a {@link PartError}. */
function unescape(text: string): string {
  const bytes = utf8(text);
  const [wrong] = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(bytes) ?? [];
  if (wrong !== undefined) throw badEscape(fromUtf8(wrong));
  return bytes.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function badEscape(text: string): PartError {
  return new PartError(`invalid URL escape ${goQuote(text)}`);
}

/** ASCII that may stand in a host. */
const HOST = /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/;

const NAME_PART = /%(?:[0-9a-fA-F]{2})?|[^]/gu;

const PLAIN_HOST = new RegExp(`^${HOST.source}*$`);

/** In a host only what is not ASCII, and the percent sign, may be escaped. */
const unescapeHost = (text: string): string => unescapeName(text, (byte) => byte >= 0x80);

/** In the zone of an address what may stand in a host, and a space, may be escaped. */
const unescapeZone = (text: string): string =>
  unescapeName(text, (byte) => byte === 0x20 || (byte < 0x80 && HOST.test(String.fromCharCode(byte))));

function unescapeName(text: string, mayEscape: (byte: number) => boolean): string {
  if (PLAIN_HOST.test(text)) return text;
  for (const { 0: part, index } of text.matchAll(NAME_PART)) {
    if (part.length === 3 && part.startsWith("%")) {
      if (part !== "%25" && !mayEscape(Number.parseInt(part.slice(1), 16))) throw badEscape(part);
    } else if (part === "%") throw badEscape(fromUtf8(utf8(text.slice(index, index + 3)).slice(0, 3)));
    else if (part < "\x80" && !HOST.test(part)) {
      throw new PartError(`invalid character ${goQuote(part)} in host name`);
    }
  }
  return unescape(text);
}

/** Bytes that stay as they are when Go encodes a path, a fragment, or a name or password. */
const PATH = /[A-Za-z0-9\-_.~$&+,/:;=@]/;
const FRAGMENT = /[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/;
const USER = /[A-Za-z0-9\-_.~$&+,;=]/;

function escape(bytes: string, allowed: RegExp): string {
  return bytes.replace(/[^]/g, (byte) => (allowed.test(byte) ? byte : percent(byte)));
}

const percent = (byte: string): string => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

/** A path or fragment that holds only what may stand in one stays as it was written. */
const PLAIN = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/;

function encodedPath(path: string): string {
  const bytes = unescape(path);
  return PLAIN.test(path) ? path : escape(bytes, PATH);
}

function encodedFragment(fragment: string): string {
  const bytes = unescape(fragment);
  return PLAIN.test(fragment.replaceAll("?", "")) ? fragment : escape(bytes, FRAGMENT);
}

const utf8 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

const fromUtf8 = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");

function write(parts: Parts): string {
  const { scheme, opaque, userinfo, host, escapedPath, rawQuery, hasQuery, hasAuthority } = parts;
  const start = scheme === "" ? "" : `${scheme}:`;
  const query = hasQuery ? `?${rawQuery}` : "";
  if (opaque !== "") return `${start}${opaque}${query}`;
  const named = host !== "" || userinfo !== undefined;
  const slashes = hasAuthority && (named || escapedPath !== "") ? "//" : "";
  const user = userinfo === undefined ? "" : `${userinfo}@`;
  return `${start}${slashes}${user}${escape(host, HOST)}${escapedPath}${query}`;
}

/** The query's parameters, as Go's URL.Query parses them: invalid ones are left out. */
export function queryParameters(rawQuery: string): ReadonlyMap<string, readonly string[]> {
  const parameters = new Map<string, string[]>();
  const written = rawQuery.split("&");
  if (written.length > MOST_PARAMETERS) return parameters;
  for (const parameter of written) {
    if (parameter === "" || parameter.includes(";")) continue;
    const [name, decoded] = decodedPair(parameter);
    if (name === undefined || decoded === undefined) continue;
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [decoded]);
    else values.push(decoded);
  }
  return parameters;
}

/** The name and the value of a parameter; undefined where they hold a wrong escape. */
function decodedPair(parameter: string): readonly (string | undefined)[] {
  const [name, value = ""] = cut(parameter, "=");
  return /[%+]/.test(parameter) ? [decoded(name), decoded(value)] : [name, value];
}

function decoded(text: string): string | undefined {
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  return fromUtf8(unescape(text.replaceAll("+", " ")));
}

/** Go's default of GODEBUG urlmaxqueryparams. */
const MOST_PARAMETERS = 10_000;

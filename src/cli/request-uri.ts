import { goQuote } from "../base/text/go-quote.js";

/** The path and the query of --raw. */
export interface RequestUri {
  /** Clean, as client-go joins it to the server's own: no empty or dotted segments; a last slash stays. */
  readonly path: string;
  readonly query: Readonly<Record<string, readonly string[]>>;
}

/** Throws for a URI that Go's url.ParseRequestURI rejects. */
export function requireRequestUri(uri: string): void {
  const refuse = (reason: string): Error =>
    new Error(`--raw must be a valid URL path: parse ${goQuote(uri)}: ${reason}`);
  if (Array.from(uri).some((character) => character < " " || character === "\u007f")) {
    throw refuse("net/url: invalid control character in URL");
  }
  if (uri.startsWith(":")) throw refuse("missing protocol scheme");
  if (!uri.startsWith("/") && uri !== "*" && !SCHEME.test(uri)) throw refuse("invalid URI for request");
  const [path = ""] = uri.split("?");
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path);
  if (escape !== null) throw refuse(`invalid URL escape ${goQuote(escape[0])}`);
}

const SCHEME = /^[a-zA-Z][a-zA-Z0-9+.-]*:/;

/** Returns path and query of a URI that {@link requireRequestUri} accepts. Its scheme, host and fragment are ignored. */
export function parseRequestUri(uri: string): RequestUri {
  const [beforeFragment = ""] = uri.split("#");
  const mark = beforeFragment.indexOf("?");
  const place = mark === -1 ? beforeFragment : beforeFragment.slice(0, mark);
  const query: Record<string, string[]> = {};
  const parameters = mark === -1 ? "" : beforeFragment.slice(mark + 1);
  for (const [key, value] of new URLSearchParams(parameters)) (query[key] ??= []).push(value);
  return { path: cleanPath(unescaped(withoutHost(place))), query };
}

function withoutHost(place: string): string {
  const rest = place.replace(SCHEME, "");
  if (rest.startsWith("//")) return rest.replace(/^\/\/[^/]*/, "");
  // What follows a scheme without a slash is no path at all.
  return rest.startsWith("/") || rest === place ? rest : "";
}

/** As Go's path.Join makes it. */
function cleanPath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  const slash = kept.length > 0 && path.endsWith("/") ? "/" : "";
  return `/${kept.join("/")}${slash}`;
}

/** Go keeps the path decoded and encodes it anew; what still holds a percent sign then means that sign. */
function unescaped(path: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return path;
  }
  return decoded.replaceAll(/[%!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

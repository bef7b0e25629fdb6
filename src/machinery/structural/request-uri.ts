/**
 * A URI as it may stand in a request: an absolute one, a path from the root, or "*". A fragment is a part of the path. Source: Go's
 * net/url.ParseRequestURI.
 */
export function isRequestUri(text: string): boolean {
  if (text === "") return false;
  if (text === "*") return true;
  if (hasControlCharacter(text) || text.startsWith(":")) return false;
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(text)?.[0] ?? "";
  const [rest = ""] = text.slice(scheme.length).split("?", 1);
  if (!rest.startsWith("/")) return scheme !== "";
  const [authority, path] = scheme !== "" && rest.startsWith("//") ? partsOf(rest.slice(2)) : ["", rest];
  return isAuthority(authority) && hasGoodEscapes(path);
}

const hasControlCharacter = (text: string): boolean => Array.from(text).some((char) => char < " " || char === "\x7f");

function partsOf(text: string): readonly [authority: string, path: string] {
  const slash = text.indexOf("/");
  return slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash)];
}

const hasGoodEscapes = (text: string): boolean => !/%(?![0-9a-fA-F]{2})/.test(text);

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf("@");
  const user = authority.slice(0, Math.max(at, 0));
  if (!/^[\w\-.~!$&'()*+,;=:%@]*$/.test(user) || !hasGoodEscapes(user)) return false;
  return isHost(authority.slice(at + 1));
}

/** With its port. What is not ASCII goes unlooked at. */
function isHost(host: string): boolean {
  if (host.startsWith("[")) {
    const end = host.lastIndexOf("]");
    if (end < 0 || !/^(:[0-9]*)?$/.test(host.slice(end + 1))) return false;
    return /^\[[0-9A-Fa-f:.]*(%25[^\]]+)?$/.test(host.slice(0, end));
  }
  const colon = host.lastIndexOf(":");
  if (colon >= 0 && !/^:[0-9]*$/.test(host.slice(colon))) return false;
  return /^(?:[\w\-.~!$&'()*+,;=:[\]<>"]|[^\0-\x7f]|%[89a-fA-F][0-9a-fA-F])*$/.test(host);
}

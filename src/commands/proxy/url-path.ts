/** The path of a request as Go knows it: what was sent, and what it means. */
export interface UrlPath {
  /** Escapes resolved. */
  readonly path: string;
  /** As it was sent. */
  readonly raw: string;
  /** With its question mark, or "". */
  readonly query: string;
}

/** Undefined for an address that no URL may hold. */
export function urlPath(address: string): UrlPath | undefined {
  // A proxy may be sent a whole URL.
  const target = address.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "");
  const mark = target.indexOf("?");
  const raw = mark < 0 ? target : target.slice(0, mark);
  const path = unescapePath(raw);
  return path === undefined ? undefined : { path, raw, query: mark < 0 ? "" : target.slice(mark) };
}

function unescapePath(raw: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(raw)) return undefined;
  const bytes = Buffer.from(raw, "latin1");
  const text = bytes.toString("latin1").replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => {
    return String.fromCharCode(Number.parseInt(hex, 16));
  });
  return Buffer.from(text, "latin1").toString("utf8");
}

/** A path with the escapes that Go puts in. */
export function escapePath(path: string): string {
  return [...Buffer.from(path)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

/** What was sent where it still means the path, else the path escaped anew. */
export function escapedPath({ path, raw }: Pick<UrlPath, "path" | "raw">): string {
  return unescapePath(raw) === path && !/[^!-~]|["<>\\^`{|}]/.test(raw) ? raw : escapePath(path);
}

/** No "." and "..", no doubled slashes; a slash at the end stays. */
export function cleanedPath(path: string): string {
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  const cleaned = `/${kept.join("/")}`;
  return path.endsWith("/") && cleaned !== "/" ? `${cleaned}/` : cleaned;
}

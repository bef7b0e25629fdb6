import type { RestRequest } from "./rest-client.js";

/** Encodes a query: "?a=1&b=2", sorted and escaped as Go's url.Values are; "" for an empty query. */
export function encodeQuery(query: RestRequest["query"]): string {
  const pairs: string[] = [];
  for (const key of Object.keys(query ?? {}).sort()) {
    const value = query?.[key];
    if (value === undefined) continue;
    for (const item of typeof value === "string" ? [value] : value) pairs.push(`${escape(key)}=${escape(item)}`);
  }
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function escape(text: string): string {
  return encodeURIComponent(text).replaceAll(/%20|[!'()*]/g, (part) =>
    part === "%20" ? "+" : `%${part.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Escapes the characters that a request line may not contain. Existing escapes stay. */
export function encodePath(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9\-_.~$&+,/:;=@%!'()*]+/gu, (part) => encodeURIComponent(part));
}

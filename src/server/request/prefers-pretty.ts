import type { Exchange } from "./exchange.js";
import { isTrue } from "./request-info.js";

/** `?pretty` decides; without it, whoever looks like a person at a terminal or in a browser gets indented JSON. */
export function prefersPretty({ query, headers }: Exchange): boolean {
  const asked = query.get("pretty");
  if (asked !== null) return isTrue(asked);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(headers["user-agent"] ?? "");
}

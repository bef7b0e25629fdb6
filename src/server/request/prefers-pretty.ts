import type { Exchange } from "./exchange.js";
import { isTrue } from "./request-info.js";

/**
 * True when the answer's JSON is to be indented: `?pretty` decides, then whether the user agent is a browser, curl or wget.
 */
export function prefersPretty({ query, headers }: Exchange): boolean {
  const asked = query.get("pretty");
  if (asked !== null) return isTrue(asked);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(headers["user-agent"] ?? "");
}

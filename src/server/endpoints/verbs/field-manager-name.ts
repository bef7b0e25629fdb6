import { headerText } from "../../../base/text/header-text.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { WriteOptions } from "../options/write-options.js";

const MAX_BYTES = 128;

/** Who a write is for: the fieldManager of its query, else what its User-Agent has before the first slash. */
export function fieldManagerName({ exchange }: ApiRequest, { fieldManager }: WriteOptions): string {
  return fieldManager === "" ? prefixOfUserAgent(exchange.headers["user-agent"] ?? "") : fieldManager;
}

const PRINTABLE_ASCII = /^[ -.0-~]{0,128}(?=\/|$)/;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Printable characters only, as many as are kept. */
function prefixOfUserAgent(agent: string): string {
  const plain = PRINTABLE_ASCII.exec(agent);
  if (plain !== null) return plain[0];
  let prefix = "";
  for (const char of headerText(agent).split("/", 1)[0] ?? "") {
    if (!PRINTABLE.test(char)) continue;
    if (Buffer.byteLength(prefix + char) > MAX_BYTES) break;
    prefix += char;
  }
  return prefix;
}

import type { Exchange } from "../request/exchange.js";

/** Shorter bodies are no long work, whatever they hold. */
const LONG_BYTES = 48 * 1024;
/** A longer one is when it holds more values than this: a few long texts are not. */
const MANY = 4096;
const COMMA = 0x2c;

/** Whether the body may be a long one, as far as the head tells. */
export function mayBeLong({ headers }: Exchange, limit: number): boolean {
  const given = headers["content-length"];
  if (given === undefined) return true;
  const length = Number(given);
  return length > LONG_BYTES && length <= limit;
}

/** Whether to decode, check and encode what the body holds is work that others should not wait for. */
export function isLongWork(body: Uint8Array, { headers }: Exchange): boolean {
  if (body.length <= LONG_BYTES) return false;
  // A comma ends each value of JSON; other formats are slower to read, and have no such mark.
  if (!/json/.test(headers["content-type"] ?? "json")) return true;
  let found = 0;
  for (let at = body.indexOf(COMMA); at >= 0; at = body.indexOf(COMMA, at + 1)) if (++found > MANY) return true;
  return false;
}

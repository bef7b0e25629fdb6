import { isIP } from "node:net";
import type { Exchange } from "../request/exchange.js";

/**
 * The addresses that a request comes from: those that proxies have written into X-Forwarded-For and X-Real-Ip, and last that of the connection,
 * which alone cannot be made up.
 */
export function sourceAddresses({ headers, remoteAddress }: Exchange): readonly string[] {
  const addresses = (headers["x-forwarded-for"] ?? "").split(",").flatMap(addressOf);
  for (const real of addressOf(headers["x-real-ip"] ?? "")) if (!addresses.includes(real)) addresses.push(real);
  for (const remote of addressOf(remoteAddress)) if (addresses.at(-1) !== remote) addresses.push(remote);
  return addresses;
}

/** The address that a text names, as Go prints it; none for another text. */
function addressOf(text: string): readonly string[] {
  const trimmed = text.trim();
  const version = isIP(trimmed);
  if (version === 4) return [trimmed];
  if (version === 0) return [];
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(trimmed);
  return [mapped?.[1] ?? new URL(`http://[${trimmed.split("%", 1).join("")}]`).hostname.slice(1, -1)];
}

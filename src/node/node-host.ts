import { parseIpv4, parseIpv4Prefix } from "../base/numbers/ipv4-prefix.js";
import { isMapped, NetipError, parseAddr } from "../machinery/text/go/netip.js";

/** Normalizes a host for comparison: an IPv4 address in the form of IPv6 to IPv4, a name to lower case without its last dot. */
export function comparableHost(host: string): string {
  if (!host.includes(":")) return host.toLowerCase().replace(/\.$/, "");
  try {
    const address = parseAddr(host);
    return isMapped(address) ? address.bytes.slice(12).join(".") : host;
  } catch (error) {
    if (error instanceof NetipError) return host;
    throw error;
  }
}

/** Whether an address, as {@link comparableHost} has it, is of a block ("10.244.0.0/24"); false for a name. */
export function isAddressOf(block: string, address: string): boolean {
  const [prefix, number] = [parseIpv4Prefix(block), parseIpv4(address)];
  return prefix !== undefined && number !== undefined && number >= prefix.network && number <= prefix.broadcast;
}

import { parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";
import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

/** --load-balancer-addresses: where Services of type LoadBalancer get their addresses. */
export const loadBalancerFlag: FlagSpec = {
  name: "load-balancer-addresses",
  type: "string",
  default: "",
  usage:
    "A block of IPv4 addresses, such as 172.20.255.0/24, that Services of type LoadBalancer get an address of, for this start. Nothing listens there. Default: 203.0.113.0/24 where there are nodes. Given as empty, they stay pending.",
};

/** Undefined when the flag is not given, "" for none. Throws a usage error for what is no block of addresses. */
export function loadBalancerAddressesOf(invocation: Invocation): string | undefined {
  const block = invocation.flags.string("load-balancer-addresses");
  if (!invocation.flags.changed("load-balancer-addresses")) return undefined;
  if (block === "" || parseIpv4Prefix(block) !== undefined) return block;
  const message = `invalid --load-balancer-addresses ${JSON.stringify(block)}: use a block of IPv4 addresses, such as 172.20.255.0/24`;
  throw usageError(invocation, message);
}

import { goQuote } from "../../../base/text/go-quote.js";
import { globalOverload, type Library, memberOverload } from "../functions/declaration.js";
import { BOOL, INT, opaqueType, STRING, type Type } from "../types/type.js";
import { ErrorValue, NO_SUCH_OVERLOAD, type Value } from "../values/value.js";
import { Ip, IP_TYPE, parseIpValue } from "./ip.js";
import { KubernetesValue, typeVariable, parsed } from "./kubernetes-value.js";
import { addrText, isMapped, maskedBytes, NetipError, parsePrefix, sameBytes } from "../../text/go/netip.js";

export const CIDR_TYPE = opaqueType("net.CIDR");

/** A network, or an address in it with the network's length. */
export class Cidr extends KubernetesValue {
  readonly type: Type = CIDR_TYPE;
  readonly bytes: readonly number[];
  readonly bits: number;

  constructor(bytes: readonly number[], bits: number) {
    super();
    this.bytes = bytes;
    this.bits = bits;
  }

  /** The bytes of the prefix. */
  override get size(): number {
    return Math.ceil(this.bits / 8);
  }

  equals(other: Value): boolean {
    return other instanceof Cidr && other.bits === this.bits && sameBytes(this.bytes, other.bytes);
  }

  /** Whether the first bits of an address are those of the network. */
  contains({ bytes }: Ip): boolean {
    return sameBytes(maskedBytes(this.bytes, this.bits), maskedBytes(bytes, this.bits));
  }
}

const CONVERSION = "network address parse error during conversion from string: ";

/** Reads a network, or answers why it is none that Kubernetes takes. */
function parseCidrValue(text: string): Cidr | ErrorValue {
  // The words stand there twice where Go's parser refuses the text, as Kubernetes has it.
  const prefix = parsed(text, parsePrefix, NetipError, (problem) => `${CONVERSION}${CONVERSION}${problem}`);
  if (prefix instanceof ErrorValue) return prefix;
  if (isMapped(prefix.addr)) {
    return new ErrorValue(`${CONVERSION}IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  }
  return new Cidr(prefix.addr.bytes, prefix.bits);
}

function containsCidr(outer: Cidr, inner: Cidr | ErrorValue): Value {
  if (inner instanceof ErrorValue) return inner;
  return outer.bits <= inner.bits && outer.contains(new Ip(inner.bytes));
}

/** Of a text that is no address Kubernetes says only that there is no overload. */
function containsIp(cidr: Cidr, ip: Ip | ErrorValue): Value {
  return ip instanceof ErrorValue ? NO_SUCH_OVERLOAD : cidr.contains(ip);
}

function masked({ bytes, bits }: Cidr): Value {
  return new Cidr(maskedBytes(bytes, bits), bits);
}

/** Kubernetes' functions of networks, as Go's net/netip has them. Source: apiserver's cel/library. */
export const CIDR: Library = {
  functions: [
    { name: "cidr", overloads: [globalOverload("string_to_cidr", [STRING], CIDR_TYPE, parseCidrValue)] },
    {
      name: "isCIDR",
      overloads: [globalOverload("is_cidr", [STRING], BOOL, (text: string) => parseCidrValue(text) instanceof Cidr)],
    },
    {
      name: "string",
      overloads: [
        globalOverload(
          "cidr_to_string",
          [CIDR_TYPE],
          STRING,
          ({ bytes, bits }: Cidr) => `${addrText({ bytes, zone: "" })}/${bits}`,
        ),
      ],
    },
    {
      name: "containsIP",
      overloads: [
        memberOverload("cidr_contains_ip_string", [CIDR_TYPE, STRING], BOOL, (cidr: Cidr, text: string) =>
          containsIp(cidr, parseIpValue(text)),
        ),
        memberOverload("cidr_contains_ip_ip", [CIDR_TYPE, IP_TYPE], BOOL, containsIp),
      ],
    },
    {
      name: "containsCIDR",
      overloads: [
        memberOverload("cidr_contains_cidr_string", [CIDR_TYPE, STRING], BOOL, (cidr: Cidr, text: string) =>
          containsCidr(cidr, parseCidrValue(text)),
        ),
        memberOverload("cidr_contains_cidr", [CIDR_TYPE, CIDR_TYPE], BOOL, containsCidr),
      ],
    },
    { name: "ip", overloads: [memberOverload("cidr_ip", [CIDR_TYPE], IP_TYPE, ({ bytes }: Cidr) => new Ip(bytes))] },
    {
      name: "prefixLength",
      overloads: [memberOverload("cidr_prefix_length", [CIDR_TYPE], INT, ({ bits }: Cidr) => bits)],
    },
    { name: "masked", overloads: [memberOverload("cidr_masked", [CIDR_TYPE], CIDR_TYPE, masked)] },
  ],
  variables: [typeVariable(CIDR_TYPE)],
};

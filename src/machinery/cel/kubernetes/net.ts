import { goQuote } from "../../../base/text/go-quote.js";
import { globalOverload, type Library, memberOverload } from "../functions/declaration.js";
import { BOOL, INT, opaqueType, STRING, type Type } from "../types/type.js";
import { ErrorValue, type Value, NO_SUCH_OVERLOAD } from "../values/value.js";
import { KubernetesValue, typeVariable, parsed } from "./kubernetes-value.js";
import { addrText, isMapped, NetipError, parseAddr, sameBytes, maskedBytes, parsePrefix } from "../../text/go/netip.js";

export const IP_TYPE = opaqueType("net.IP");

/** An IPv4 or IPv6 address, without a zone. */
class Ip extends KubernetesValue {
  readonly type: Type = IP_TYPE;
  readonly bytes: readonly number[];

  constructor(bytes: readonly number[]) {
    super();
    this.bytes = bytes;
  }

  override get size(): number {
    return this.bytes.length;
  }

  equals(other: Value): boolean {
    return other instanceof Ip && sameBytes(this.bytes, other.bytes);
  }
}

/** Reads an address, or answers why it is none that Kubernetes takes. */
function parseIpValue(text: string): Ip | ErrorValue {
  const addr = parsed(text, parseAddr, NetipError, (problem) => {
    return `IP Address ${goQuote(text)} parse error during conversion from string: ${problem}`;
  });
  if (addr instanceof ErrorValue) return addr;
  if (addr.zone !== "") return new ErrorValue(`IP address ${goQuote(text)} with zone value is not allowed`);
  if (isMapped(addr)) return new ErrorValue(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  return new Ip(addr.bytes);
}

export function ipValueText({ bytes }: Ip): string {
  return addrText({ bytes, zone: "" });
}

function isCanonical(text: string): Value {
  const address = parseIpValue(text);
  return address instanceof ErrorValue ? address : ipValueText(address) === text;
}

const isIpv4 = ({ bytes }: Ip): boolean => bytes.length === 4;

const startsWith = ({ bytes }: Ip, ...wanted: readonly number[]): boolean =>
  wanted.every((byte, index) => bytes[index] === byte);

const isAll = ({ bytes }: Ip, wanted: number): boolean => bytes.every((byte) => byte === wanted);

const isUnspecified = (ip: Ip): boolean => isAll(ip, 0);

const isLoopback = (ip: Ip): boolean =>
  isIpv4(ip) ? startsWith(ip, 127) : isAll(new Ip(ip.bytes.slice(0, 15)), 0) && ip.bytes[15] === 1;

const isMulticast = (ip: Ip): boolean => (isIpv4(ip) ? ((ip.bytes[0] ?? 0) & 0xf0) === 0xe0 : startsWith(ip, 0xff));

const isLinkLocalMulticast = (ip: Ip): boolean =>
  isIpv4(ip) ? startsWith(ip, 224, 0, 0) : startsWith(ip, 0xff) && ((ip.bytes[1] ?? 0) & 0x0f) === 0x02;

const isLinkLocalUnicast = (ip: Ip): boolean =>
  isIpv4(ip) ? startsWith(ip, 169, 254) : startsWith(ip, 0xfe) && ((ip.bytes[1] ?? 0) & 0xc0) === 0x80;

const isGlobalUnicast = (ip: Ip): boolean =>
  !isUnspecified(ip) &&
  !(isIpv4(ip) && isAll(ip, 255)) &&
  !isLoopback(ip) &&
  !isMulticast(ip) &&
  !isLinkLocalUnicast(ip);

function ipTest(name: string, id: string, test: (ip: Ip) => boolean) {
  return { name, overloads: [memberOverload(id, [IP_TYPE], BOOL, test)] };
}

/** Kubernetes' functions of IP addresses, as Go's net/netip has them. Source: apiserver's cel/library. */
export const IP: Library = {
  functions: [
    { name: "ip", overloads: [globalOverload("string_to_ip", [STRING], IP_TYPE, parseIpValue)] },
    {
      name: "isIP",
      overloads: [globalOverload("is_ip", [STRING], BOOL, (text: string) => parseIpValue(text) instanceof Ip)],
    },
    { name: "ip.isCanonical", overloads: [globalOverload("ip_is_canonical", [STRING], BOOL, isCanonical)] },
    { name: "string", overloads: [globalOverload("ip_to_string", [IP_TYPE], STRING, ipValueText)] },
    {
      name: "family",
      overloads: [memberOverload("ip_family", [IP_TYPE], INT, (ip: Ip) => (isIpv4(ip) ? 4 : 6))],
    },
    ipTest("isUnspecified", "ip_is_unspecified", isUnspecified),
    ipTest("isLoopback", "ip_is_loopback", isLoopback),
    ipTest("isLinkLocalMulticast", "ip_is_link_local_multicast", isLinkLocalMulticast),
    ipTest("isLinkLocalUnicast", "ip_is_link_local_unicast", isLinkLocalUnicast),
    ipTest("isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast),
  ],
  variables: [typeVariable(IP_TYPE)],
};

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

import { isIP, isIPv4 } from "node:net";
import { goQuote } from "../../base/go-quote.js";

/** What is wrong with an IP address in a field that takes only the normal form, in apimachinery's words. */
export function ipErrors(value: string): string[] {
  const address = parse(value);
  if (address === undefined) return ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
  if (address.leadingZeros) return ["must not have leading 0s"];
  if (address.mapped) return ["must not be an IPv4-mapped IPv6 address"];
  return value === address.text ? [] : [notCanonical(address.text)];
}

/** The same for a block of addresses: "10.9.8.0/24". */
export function cidrErrors(value: string): string[] {
  const [, ip = "", length = ""] = /^([^/]*)\/([0-9]+)$/.exec(value) ?? [];
  const address = parse(ip);
  const bits = Number(length);
  if (address === undefined || length === "" || bits > address.bytes.length * 8) {
    return ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"];
  }
  if (address.leadingZeros || (length.length > 1 && length.startsWith("0"))) {
    return ["must not have leading 0s in IP or prefix length"];
  }
  if (address.mapped) return ["must not have an IPv4-mapped IPv6 address"];
  if (hasBitsBeyond(address.bytes, bits)) return ["must not have bits set beyond the prefix length"];
  const canonical = `${address.text}/${bits}`;
  return value === canonical ? [] : [notCanonical(canonical)];
}

interface Address {
  /** The normal form: RFC 5952 for IPv6. */
  readonly text: string;
  readonly bytes: readonly number[];
  /** In an IPv4 number, where they could mean octal. */
  readonly leadingZeros: boolean;
  readonly mapped: boolean;
}

function parse(value: string): Address | undefined {
  const plain = value.replace(/\b0+(?=[0-9])/g, "");
  if (isIPv4(plain) && !value.includes(":")) {
    const bytes = plain.split(".").map(Number);
    return { text: plain, bytes, leadingZeros: plain !== value, mapped: false };
  }
  if (isIP(value) !== 6 || value.includes("%")) return undefined;
  const text = new URL(`http://[${value}]`).hostname.slice(1, -1);
  const bytes = bytesOf(text);
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  return { text, bytes, leadingZeros: false, mapped };
}

/** Of an IPv6 address in its normal form. */
function bytesOf(text: string): number[] {
  const [head = "", tail] = text.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255]);
}

function hasBitsBeyond(bytes: readonly number[], bits: number): boolean {
  return bytes.some((byte, index) => (byte & (255 >> Math.max(0, Math.min(8, bits - index * 8)))) !== 0);
}

const notCanonical = (text: string): string => `must be in canonical form (${goQuote(text)})`;

import { isIP, isIPv4 } from "node:net";
import { goQuote } from "../../base/text/go-quote.js";

/** Validates an IP address in a field that accepts only canonical form, with apimachinery's messages. */
export function ipErrors(value: string): string[] {
  const address = parseIp(value);
  const errors = addressErrors(address);
  return address === undefined || errors.length > 0 || value === address.text ? errors : [notCanonical(address.text)];
}

/** As {@link ipErrors}, for a field that has always accepted any form of an address. */
export function lenientIpErrors(value: string): string[] {
  return addressErrors(parseIp(value));
}

/** Validates a CIDR block ("10.9.8.0/24") in a field that accepts only canonical form. */
export function cidrErrors(value: string): string[] {
  const block = parseCidr(value);
  const errors = blockErrors(block);
  return block === undefined || errors.length > 0 || value === block.text ? errors : [notCanonical(block.text)];
}

/** As {@link cidrErrors}, for a field that has always accepted any form of a block. */
export function lenientCidrErrors(value: string): string[] {
  return blockErrors(parseCidr(value));
}

/** Validates an interface address with its prefix length ("10.9.8.7/24") in a field that accepts only canonical form. */
export function interfaceAddressErrors(value: string): string[] {
  const block = parseCidr(value);
  if (block === undefined) {
    return ["must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"];
  }
  const { address, bits } = block;
  // Go shows an IPv4 address in IPv6's clothes as what it is.
  const text = address.mapped ? `${address.bytes.slice(12).join(".")}/${bits > 32 ? bits - 96 : bits}` : block.text;
  return value === text ? [] : [notCanonical(text)];
}

function addressErrors(address: Address | undefined): string[] {
  if (address === undefined) return ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
  if (address.leadingZeros) return ["must not have leading 0s"];
  return address.mapped ? ["must not be an IPv4-mapped IPv6 address"] : [];
}

function blockErrors(block: Block | undefined): string[] {
  if (block === undefined) return ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"];
  if (block.leadingZeros) return ["must not have leading 0s in IP or prefix length"];
  if (block.address.mapped) return ["must not have an IPv4-mapped IPv6 address"];
  return hasBitsBeyond(block.address.bytes, block.bits) ? ["must not have bits set beyond the prefix length"] : [];
}

export interface Address {
  /** The normal form: RFC 5952 for IPv6. */
  readonly text: string;
  /** 4 or 16. */
  readonly bytes: readonly number[];
  /** In an IPv4 number, where they could mean octal. */
  readonly leadingZeros: boolean;
  /** An IPv4 address written as an IPv6 one. */
  readonly mapped: boolean;
}

export interface Block {
  readonly address: Address;
  /** Length of the prefix. */
  readonly bits: number;
  readonly leadingZeros: boolean;
  /** The address as it was given, in its normal form, with the length. */
  readonly text: string;
}

const BLOCK = /^([^/]*)\/([0-9]+)$/;

/** Parses a CIDR block as the oldest servers do: "010.0.0.1/08" is valid. Undefined for an invalid one. */
export function parseCidr(value: string): Block | undefined {
  const [, ip = "", length = ""] = BLOCK.exec(value) ?? [];
  const address = parseIp(ip);
  const bits = Number(length);
  if (address === undefined || length === "" || bits > address.bytes.length * 8) return undefined;
  const leadingZeros = address.leadingZeros || (length.length > 1 && length.startsWith("0"));
  return { address, bits, leadingZeros, text: `${address.text}/${bits}` };
}

/** Whether `inner` is a proper part of `outer`. */
export function isStrictlyWithin(inner: Block, outer: Block): boolean {
  if (inner.address.bytes.length !== outer.address.bytes.length || inner.bits <= outer.bits) return false;
  return outer.address.bytes.every((byte, index) => {
    const mask = maskAt(outer.bits, index);
    return (byte & mask) === ((inner.address.bytes[index] ?? 0) & mask);
  });
}

/** Parses an address in any form that Kubernetes has ever accepted; undefined for an invalid one. */
export function parseIp(value: string): Address | undefined {
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

/** Returns the block with the bits beyond its prefix cleared: "10.9.8.7/24" becomes "10.9.8.0/24". */
export function networkOf({ address, bits }: Block): string {
  return `${ipText(address.bytes.map((byte, index) => byte & maskAt(bits, index))) ?? ""}/${bits}`;
}

/** Formats an address of 4 or 16 bytes in its normal form; undefined for another length. */
export function ipText(bytes: readonly number[]): string | undefined {
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) return undefined;
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16),
  );
  return parseIp(groups.join(":"))?.text;
}

/** The bits of a byte that belong to a prefix. */
const maskAt = (bits: number, index: number): number => 255 & (255 << (8 - Math.max(0, Math.min(8, bits - index * 8))));

export function hasBitsBeyond(bytes: readonly number[], bits: number): boolean {
  return bytes.some((byte, index) => (byte & (255 >> Math.max(0, Math.min(8, bits - index * 8)))) !== 0);
}

const notCanonical = (text: string): string => `must be in canonical form (${goQuote(text)})`;

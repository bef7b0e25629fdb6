import { goQuote } from "../../../base/text/go-quote.js";

/** An IP address as Go's net/netip reads it. */
export interface Addr {
  /** 4 or 16. */
  readonly bytes: readonly number[];
  /** Of an IPv6 address, what stands behind the percent sign; "" for none. */
  readonly zone: string;
}

/** An address with a prefix length; bits beyond the prefix are kept: `10.9.8.7/24`. */
export interface Prefix {
  readonly addr: Addr;
  readonly bits: number;
}

/** Go's netip error for an invalid address or network. */
export class NetipError extends Error {}

/** Parses an address as Go's `netip.ParseAddr` does. Throws {@link NetipError}. */
export function parseAddr(text: string): Addr {
  const [first] = /[.:%]/.exec(text) ?? [];
  if (first === ".") return { bytes: ipv4Bytes(text, text), zone: "" };
  if (first === ":") return parseIpv6(text);
  throw addrError(text, first === "%" ? "missing IPv6 address" : "unable to parse IP");
}

/** Parses a network as Go's `netip.ParsePrefix` does. Throws {@link NetipError}. */
export function parsePrefix(text: string): Prefix {
  const fail = (message: string): NetipError => new NetipError(`netip.ParsePrefix(${goQuote(text)}): ${message}`);
  const slash = text.lastIndexOf("/");
  if (slash < 0) throw fail("no '/'");
  const addr = wrapped(fail, () => parseAddr(text.slice(0, slash)));
  if (addr.zone !== "") throw fail("IPv6 zones cannot be present in a prefix");
  const bits = text.slice(slash + 1);
  if (!/^(?:0|[1-9][0-9]*)$/.test(bits) || BigInt(bits) >= 2n ** 63n) {
    throw fail(`bad bits after slash: ${goQuote(bits)}`);
  }
  if (Number(bits) > addr.bytes.length * 8) throw fail("prefix length out of range");
  return { addr, bits: Number(bits) };
}

function wrapped<T>(fail: (message: string) => NetipError, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof NetipError ? fail(error.message) : error;
  }
}

function addrError(text: string, message: string, at = ""): NetipError {
  return new NetipError(`ParseAddr(${goQuote(text)}): ${message}${at === "" ? "" : ` (at ${goQuote(at)})`}`);
}

/** The four bytes of `part`, an IPv4 address that is all of `text` or its end. */
function ipv4Bytes(text: string, part: string): number[] {
  const bytes: number[] = [];
  let digits = "";
  for (let index = 0; index < part.length; index++) {
    const char = part.charAt(index);
    if (/[0-9]/.test(char)) {
      if (digits === "0") throw addrError(text, "IPv4 field has octet with leading zero");
      digits += char;
      if (Number(digits) > 255) throw addrError(text, "IPv4 field has value >255");
    } else if (char !== ".") {
      throw addrError(text, "unexpected character", part.slice(index));
    } else {
      if (digits === "" || index === part.length - 1) {
        throw addrError(text, "IPv4 field must have at least one digit", part.slice(index));
      }
      if (bytes.length === 3) throw addrError(text, "IPv4 address too long");
      bytes.push(Number(digits));
      digits = "";
    }
  }
  if (bytes.length < 3) throw addrError(text, "IPv4 address too short");
  return [...bytes, Number(digits)];
}

function parseIpv6(text: string): Addr {
  const percent = text.indexOf("%");
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") throw addrError(text, "zone must be a non-empty string");
  return { bytes: ipv6Bytes(text, percent < 0 ? text : text.slice(0, percent)), zone };
}

/** The sixteen bytes of `address`, which is `text` without its zone. */
function ipv6Bytes(text: string, address: string): number[] {
  const fail = (message: string, at = ""): NetipError => addrError(text, message, at);
  const bytes: number[] = [];
  let ellipsis = -1;
  let rest = address;
  if (rest.startsWith("::")) {
    ellipsis = 0;
    rest = rest.slice(2);
  }
  while (rest !== "" && bytes.length < 16) {
    const [digits = ""] = /^[0-9a-fA-F]*/.exec(rest) ?? [];
    if (digits.length > 4) throw fail("each group must have 4 or less digits", rest);
    if (digits === "") throw fail("each colon-separated field must have at least one digit", rest);
    if (rest.charAt(digits.length) === ".") {
      if (ellipsis < 0 && bytes.length !== 12) {
        throw fail("embedded IPv4 address must replace the final 2 fields of the address", rest);
      }
      if (bytes.length > 12) {
        throw fail("too many hex fields to fit an embedded IPv4 at the end of the address", rest);
      }
      bytes.push(...ipv4Bytes(text, rest));
      rest = "";
      break;
    }
    const group = Number.parseInt(digits, 16);
    bytes.push(group >> 8, group & 255);
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) throw fail("unexpected character, want colon", rest);
    if (rest === ":") throw fail("colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (!rest.startsWith(":")) continue;
    if (ellipsis >= 0) throw fail("multiple :: in address", rest);
    ellipsis = bytes.length;
    rest = rest.slice(1);
  }
  if (rest !== "") throw fail("trailing garbage after address", rest);
  if (bytes.length < 16 && ellipsis < 0) throw fail("address string too short");
  if (bytes.length === 16 && ellipsis >= 0) throw fail("the :: must expand to at least one field of zeros");
  if (ellipsis >= 0) bytes.splice(ellipsis, 0, ...Array.from({ length: 16 - bytes.length }, () => 0));
  return bytes;
}

/** Whether the address is an IPv4 address written as an IPv6 one (`::ffff:1.2.3.4`). */
export function isMapped({ bytes }: Addr): boolean {
  return (
    bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  );
}

/** Formats an address in its canonical form: RFC 5952 for IPv6. It must not be mapped or have a zone. */
export function addrText({ bytes }: Addr): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0));
  const { start, length } = longestZeros(groups);
  const text = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(":");
  if (length < 2) return text(groups);
  return `${text(groups.slice(0, start))}::${text(groups.slice(start + length))}`;
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === 0) end++;
    if (end - start > best.length) best = { start, length: end - start };
    start = Math.max(start, end - 1);
  }
  return best;
}

/** Returns the bytes with every bit after the first `bits` cleared. */
export function maskedBytes(bytes: readonly number[], bits: number): number[] {
  return bytes.map((byte, index) => byte & (255 << (8 - Math.max(0, Math.min(8, bits - index * 8)))) & 255);
}

export function sameBytes(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

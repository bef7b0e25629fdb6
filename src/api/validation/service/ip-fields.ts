import { goQuote } from "../../../base/text/go-quote.js";
import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import {
  hasBitsBeyond,
  lenientCidrErrors,
  lenientIpErrors,
  networkOf,
  parseCidr,
  parseIp,
} from "../../../machinery/validation/ip.js";
import { named } from "../rules.js";

const NONE: ReadonlySet<string> = new Set();

/** Checks an address in a field that is older than the strict rules. Values that the object already had (`kept`) are accepted. */
export function legacyIp(value: string, path: string, kept: ReadonlySet<string> = NONE): FieldError[] {
  return kept.has(value) ? [] : named(value, path, lenientIpErrors);
}

/** As {@link legacyIp}, for a block of addresses. */
export function legacyCidr(value: string, path: string, kept: ReadonlySet<string> = NONE): FieldError[] {
  return kept.has(value) ? [] : named(value, path, lenientCidrErrors);
}

/** Checks that an address is not special to one node, because such an address is not an endpoint. */
export function nonSpecialIp(value: string, path: string): FieldError[] {
  const refuse = (detail: string) => [invalidValue(path, value, detail)];
  const address = parseIp(value);
  if (address === undefined) return refuse("must be a valid IP address");
  const { bytes: all, mapped } = address;
  const bytes = mapped ? all.slice(12) : all;
  const [first = 0, second = 0, third = 0] = bytes;
  if (bytes.every((byte) => byte === 0)) return refuse(`may not be unspecified (${value})`);
  const v4 = bytes.length === 4;
  if (v4 ? first === 127 : bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1) {
    return refuse("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  }
  if (v4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80) {
    return refuse("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (v4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 0x02) {
    return refuse("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
  return [];
}

/** Returns the warnings about an address that is valid but not canonical. */
export function ipWarnings(value: string, path: string): string[] {
  const address = parseIp(value);
  if (address === undefined) return [];
  if (address.leadingZeros || address.mapped) {
    const better = address.mapped ? address.bytes.slice(12).join(".") : address.text;
    return [`${path}: non-standard IP address ${goQuote(value)} is invalid: use ${goQuote(better)}`];
  }
  if (address.bytes.length === 4 || address.text === value) return [];
  return [`${path}: IPv6 address ${goQuote(value)} should be in RFC 5952 canonical format (${goQuote(address.text)})`];
}

/** As {@link ipWarnings}, for a block of addresses. */
export function cidrWarnings(value: string, path: string): string[] {
  const block = parseCidr(value);
  if (block === undefined) return [];
  const { address, bits, text } = block;
  if (hasBitsBeyond(address.bytes, bits)) {
    const whole = `${address.text}/${address.bytes.length * 8}`;
    const ambiguous = `CIDR value ${goQuote(value)} is ambiguous in this context`;
    return [`${path}: ${ambiguous} (should be ${goQuote(networkOf(block))} or ${goQuote(whole)}?)`];
  }
  if (block.leadingZeros) {
    return [`${path}: non-standard CIDR value ${goQuote(value)} is invalid: use ${goQuote(text)}`];
  }
  if (address.bytes.length === 4 || text === value) return [];
  return [`${path}: IPv6 CIDR value ${goQuote(value)} should be in RFC 5952 canonical format (${goQuote(text)})`];
}

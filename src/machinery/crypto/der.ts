/** Writes the DER values that an X.509 certificate is made of. Each function returns a complete tag-length-value. */

export function tlv(tag: number, content: Uint8Array): Buffer {
  const length = content.length;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.concat([Buffer.of(tag, 0x80 | bytes.length, ...bytes), content]);
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => tlv(0x30, Buffer.concat(items));
export const set = (...items: readonly Uint8Array[]): Buffer => tlv(0x31, Buffer.concat(items));
export const utf8String = (text: string): Buffer => tlv(0x0c, Buffer.from(text, "utf8"));
export const printableString = (text: string): Buffer => tlv(0x13, Buffer.from(text, "latin1"));
export const octetString = (content: Uint8Array): Buffer => tlv(0x04, content);
export const boolean = (value: boolean): Buffer => tlv(0x01, Buffer.of(value ? 0xff : 0));
/** Encodes bits, counted from the first; `unused` is the number of unused bits in the last byte. */
export const bitString = (content: Uint8Array, unused = 0): Buffer =>
  tlv(0x03, Buffer.concat([Buffer.of(unused), content]));
/** Encodes a value with the tag [number] around other values. */
export const explicit = (number: number, content: Uint8Array): Buffer => tlv(0xa0 | number, content);
/** Encodes a primitive value with the tag [number] in place of its own. */
export const implicit = (number: number, content: Uint8Array): Buffer => tlv(0x80 | number, content);

/** Encodes a non-negative integer of big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const trimmed = bytes.subarray(start);
  const negative = ((trimmed[0] ?? 0) & 0x80) !== 0;
  return tlv(0x02, negative ? Buffer.concat([Buffer.of(0), trimmed]) : trimmed);
}

/** Encodes an object identifier: "2.5.29.17". */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return tlv(0x06, Buffer.from(bytes));
}

/** Encodes a time, in milliseconds since the epoch: as UTCTime up to 2049, as GeneralizedTime after, as RFC 5280 requires. */
export function time(milliseconds: number): Buffer {
  const text = `${new Date(milliseconds).toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
  const utc = Number(text.slice(0, 4)) < 2050;
  return utc ? tlv(0x17, Buffer.from(text.slice(2), "ascii")) : tlv(0x18, Buffer.from(text, "ascii"));
}

/** One ASN.1 value in DER. */
export interface DerElement {
  /** The first byte: class, whether it is made of others, and number (below 31). */
  readonly tag: number;
  /** The value with its tag and length. */
  readonly whole: Uint8Array;
  readonly content: Uint8Array;
}

export class DerError extends Error {}

/** Splits `bytes` into consecutive DER values. Throws a {@link DerError} for truncated or non-canonical input. */
export function derElements(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const element = derElement(bytes.subarray(at));
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
}

/** Parses the first value in `bytes`. */
export function derElement(bytes: Uint8Array): DerElement {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw new DerError("asn1: syntax error: truncated tag or length");
  const [length, start] = first < 0x80 ? [first, 2] : longLength(bytes, first & 0x7f);
  if (start + length > bytes.length) throw new DerError("asn1: syntax error: data truncated");
  return { tag, whole: bytes.subarray(0, start + length), content: bytes.subarray(start, start + length) };
}

function longLength(bytes: Uint8Array, count: number): [length: number, start: number] {
  if (count === 0) throw new DerError("asn1: syntax error: indefinite length found (not DER)");
  if (count > 4) throw new DerError("asn1: structure error: length too large");
  let length = 0;
  for (let index = 0; index < count; index++) length = length * 256 + (bytes[2 + index] ?? 0);
  if (length < 0x80) throw new DerError("asn1: structure error: non-minimal length");
  return [length, 2 + count];
}

/** Formats an object identifier: "1.2.840.10045.4.3.2". */
export function derObjectIdentifier(content: Uint8Array): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (numbers.length === 0) {
      const first = Math.min(Math.floor(value / 40), 2);
      numbers.push(first, value - first * 40);
    } else numbers.push(value);
    value = 0;
  }
  return numbers.join(".");
}

/** Makes Go's error for a value in the place of a sequence. `goType` is the name of the Go type to decode into; "" for a type without one. */
export function notSequence({ tag, content }: DerElement, goType: string): DerError {
  const found = `{class:${tag >> 6} tag:${tag & 0x1f} length:${content.length} isCompound:${(tag & 0x20) !== 0}}`;
  const asked =
    "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}";
  return new DerError(`asn1: structure error: tags don't match (16 vs ${found}) ${asked} ${goType} @2`);
}

const TAGS = { utf8: 0x0c, numeric: 0x12, printable: 0x13, t61: 0x14, ia5: 0x16, bmp: 0x1e } as const;

const NOT_PRINTABLE = /[^A-Za-z0-9 '()+,\-./:=?*&]/;
const NOT_NUMERIC = /[^0-9 ]/;
const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Decodes a value of one of ASN.1's string types; undefined for any other value. Throws a {@link DerError} for bytes that the type
 * does not allow.
 */
export function derText(element: DerElement | undefined): string | undefined {
  if (element === undefined) return undefined;
  const { tag, content } = element;
  const latin = () => Buffer.from(content).toString("latin1");
  switch (tag) {
    case TAGS.utf8:
      return utf8(content);
    case TAGS.printable:
      return checked(latin(), NOT_PRINTABLE, "PrintableString");
    case TAGS.numeric:
      return checked(latin(), NOT_NUMERIC, "NumericString");
    case TAGS.ia5:
      return checked(latin(), NOT_ASCII, "IA5String");
    case TAGS.t61:
      return latin();
    case TAGS.bmp:
      return bmp(content);
    default:
      return undefined;
  }
}

function checked(text: string, wrong: RegExp, type: string): string {
  if (wrong.test(text)) throw new DerError(`asn1: syntax error: ${type} contains invalid character`);
  return text;
}

function utf8(content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new DerError("asn1: invalid UTF-8 string");
  }
}

/** Two bytes for each character, and perhaps a zero at the end; no surrogates, nor what Unicode never makes a character. */
function bmp(content: Uint8Array): string {
  const even = content.length % 2 === 0;
  const shown = even ? Buffer.from(content).swap16().toString("utf16le").replace(/\0$/, "") : "";
  if (!even || NOT_BMP.test(shown)) throw new DerError("invalid BMPString");
  return shown;
}

const NOT_BMP = /[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/;

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
/** Bits counted from the first; `unused` is how many of the last byte's are not meant. */
export const bitString = (content: Uint8Array, unused = 0): Buffer =>
  tlv(0x03, Buffer.concat([Buffer.of(unused), content]));
/** A value tagged [number] that holds other values. */
export const explicit = (number: number, content: Uint8Array): Buffer => tlv(0xa0 | number, content);
/** A primitive value retagged [number]. */
export const implicit = (number: number, content: Uint8Array): Buffer => tlv(0x80 | number, content);

/** A non-negative integer of big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const trimmed = bytes.subarray(start);
  const negative = ((trimmed[0] ?? 0) & 0x80) !== 0;
  return tlv(0x02, negative ? Buffer.concat([Buffer.of(0), trimmed]) : trimmed);
}

/** "2.5.29.17" */
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

/** UTCTime up to 2049, GeneralizedTime after, as RFC 5280 asks. `time` is milliseconds since the epoch. */
export function time(milliseconds: number): Buffer {
  const text = `${new Date(milliseconds).toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
  const utc = Number(text.slice(0, 4)) < 2050;
  return utc ? tlv(0x17, Buffer.from(text.slice(2), "ascii")) : tlv(0x18, Buffer.from(text, "ascii"));
}

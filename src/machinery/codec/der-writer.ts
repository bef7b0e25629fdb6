/** The few DER values an X.509 certificate is made of. Each function answers a complete tag-length-value. */

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

/** A value as it stands in its surroundings. */
export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Tag, length and content. */
  readonly whole: Uint8Array;
}

/** The values in a sequence of them; of an endless or cut-off one it throws. */
export function readDer(bytes: Uint8Array): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at + 1] ?? 0x80;
    const more = first < 0x80 ? 0 : first & 0x7f;
    if (first === 0x80 || more > 4) throw new Error("a length that DER does not have");
    let length = first;
    if (more > 0) {
      length = 0;
      for (let index = 0; index < more; index++) length = length * 256 + (bytes[at + 2 + index] ?? 0);
    }
    const start = at + 2 + more;
    if (start + length > bytes.length) throw new Error("a value is cut off");
    values.push({
      tag: bytes[at] ?? 0,
      content: bytes.subarray(start, start + length),
      whole: bytes.subarray(at, start + length),
    });
    at = start + length;
  }
  return values;
}

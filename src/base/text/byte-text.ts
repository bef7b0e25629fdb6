/*
 * Go's strings hold any bytes. Here such a string is text in which a byte that is no UTF-8 stands as a lone surrogate,
 * U+DC80 to U+DCFF for the bytes 0x80 to 0xFF, so that nothing is lost until it is written.
 */

const encoder = new TextEncoder();
const LONE_SURROGATE = /\p{Cs}/u;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the bytes that a text stands for. A surrogate that stands for no byte becomes U+FFFD, as in UTF-8. */
export function bytesOf(text: string): Uint8Array {
  if (!LONE_SURROGATE.test(text)) return encoder.encode(text);
  const bytes: number[] = [];
  for (const character of text) {
    const byte = byteFor(character);
    if (byte === undefined) bytes.push(...encoder.encode(character));
    else bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

/** Returns the text that stands for `bytes`; {@link bytesOf} is the inverse. */
export function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return escaped(bytes);
  }
}

/** Returns the number of bytes that a text represents. */
export function byteLength(text: string): number {
  return isAscii(text) ? text.length : bytesOf(text).length;
}

/** Returns the bytes from `start` up to `end`, without it, of those that a text stands for. */
export function byteSlice(text: string, start: number, end: number): string {
  return isAscii(text) ? text.slice(start, end) : textOf(bytesOf(text).subarray(start, end));
}

/** Returns the byte that a lone surrogate stands for; undefined for any other character. */
export function byteFor(character: string): number | undefined {
  const code = character.charCodeAt(0);
  return code >= 0xdc80 && code <= 0xdcff ? code - 0xdc00 : undefined;
}

/** Normalizes a text that was joined from pieces: the bytes of one character may have been in two of them. */
export function joined(text: string): string {
  return LONE_SURROGATE.test(text) ? textOf(bytesOf(text)) : text;
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** Slow, and only for what is not UTF-8: characters that decode stay, each other byte becomes a surrogate. */
function escaped(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes[at] ?? 0);
    const character = length === 0 ? undefined : decoded(bytes.subarray(at, at + length));
    text += character ?? String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
    at += character === undefined ? 1 : length;
  }
  return text;
}

/** By its first byte; 0 for a byte that starts none. */
function sequenceLength(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

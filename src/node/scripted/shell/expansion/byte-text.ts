import { isUtf8 } from "node:buffer";

/** A byte above 127 that is written as it is, in a text: a lone surrogate, which no other text has. */
const FIRST = 0xdc00;
const BYTE = /([\udc80-\udcff])/u;
const HIGHEST_ASCII = 0x7f;

/** Encodes the byte of an escape for {@link bytesOf}: the lowest eight bits of a number. */
export function byteText(code: number): string {
  const byte = code & 0xff;
  return String.fromCharCode(byte > HIGHEST_ASCII ? FIRST + byte : byte);
}

/** Decodes bytes: UTF-8 as text, and other bytes as {@link byteText} represents them. */
export function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const size = [1, 2, 3, 4].find((count) => at + count <= bytes.length && isUtf8(bytes.subarray(at, at + count)));
    text += size === undefined ? byteText(bytes[at] as number) : bytes.toString("utf8", at, at + size);
    at += size ?? 1;
  }
  return text;
}

/** Encodes a text as UTF-8, but the bytes of {@link byteText} unchanged. */
export function bytesOf(text: string): Buffer {
  if (!BYTE.test(text)) return Buffer.from(text);
  const parts = text.split(BYTE);
  return Buffer.concat(
    parts.map((part) => (BYTE.test(part) ? Buffer.of(part.charCodeAt(0) - FIRST) : Buffer.from(part))),
  );
}

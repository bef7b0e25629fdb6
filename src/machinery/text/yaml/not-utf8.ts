import { YamlError } from "./yaml-error.js";

/** Makes libyaml's error for the first byte sequence that is not UTF-8. */
export function notUtf8(bytes: Uint8Array): YamlError {
  for (let at = 0; at < bytes.length; ) {
    const width = widthOf(bytes[at] ?? 0);
    const problem = problemAt(bytes, at, width);
    if (problem !== undefined) return new YamlError(`error converting YAML to JSON: yaml: ${problem}`);
    at += width;
  }
  throw new Error("the bytes are UTF-8");
}

/** Of the sequence that a byte begins; 0 when it begins none. */
function widthOf(lead: number): number {
  if (lead < 0x80) return 1;
  if ((lead & 0xe0) === 0xc0) return 2;
  if ((lead & 0xf0) === 0xe0) return 3;
  return (lead & 0xf8) === 0xf0 ? 4 : 0;
}

/** The least that a sequence of a width may say. */
const LEAST = [0, 0, 0x80, 0x800, 0x10000];

function problemAt(bytes: Uint8Array, at: number, width: number): string | undefined {
  if (width === 0) return "invalid leading UTF-8 octet";
  if (at + width > bytes.length) return "incomplete UTF-8 octet sequence";
  let value = (bytes[at] ?? 0) & (width === 1 ? 0x7f : 0xff >> (width + 1));
  for (let index = at + 1; index < at + width; index++) {
    const byte = bytes[index] ?? 0;
    if ((byte & 0xc0) !== 0x80) return "invalid trailing UTF-8 octet";
    value = (value << 6) | (byte & 0x3f);
  }
  if (value < (LEAST[width] ?? 0)) return "invalid length of a UTF-8 sequence";
  return (value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff ? "invalid Unicode character" : undefined;
}

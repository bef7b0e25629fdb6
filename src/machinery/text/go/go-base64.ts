const WELL_FORMED = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The error of Go's base64.StdEncoding for invalid input. */
export class Base64Error extends Error {
  override readonly name = "Base64Error";

  constructor(index: number) {
    super(`illegal base64 data at input byte ${index}`);
  }
}

/**
 * Rewrites the base64 text of a []byte as Go does when it decodes and encodes it: standard alphabet, padded, line breaks ignored,
 * left-over bits cleared. Throws {@link Base64Error}.
 */
export function canonicalizeBase64(text: string): string {
  if (WELL_FORMED.test(text) && !text.endsWith("=")) return text;
  const compact = text.replaceAll(/[\r\n]/g, "");
  if (!WELL_FORMED.test(compact)) throw new Base64Error(corruptAt(text));
  return clearLeftOverBits(compact);
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function clearLeftOverBits(text: string): string {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  if (padding === 0) return text;
  const at = text.length - padding - 1;
  const value = ALPHABET.indexOf(text.charAt(at)) & (padding === 2 ? 0b110000 : 0b111100);
  return `${text.slice(0, at)}${ALPHABET.charAt(value)}${"=".repeat(padding)}`;
}

/** The index Go reports, which counts line breaks, and points behind the end or at misplaced padding. */
function corruptAt(text: string): number {
  const isBreak = (index: number): boolean => text[index] === "\n" || text[index] === "\r";
  let index = 0;
  for (;;) {
    let digits = 0;
    while (digits < 4) {
      if (index >= text.length) return digits === 0 ? index : index - digits;
      const character = text.charAt(index);
      index += 1;
      if (isBreak(index - 1)) continue;
      if (ALPHABET.includes(character)) {
        digits += 1;
        continue;
      }
      if (character !== "=" || digits < 2) return index - 1;
      while (digits === 2 && index < text.length && isBreak(index)) index += 1;
      if (digits === 2) {
        if (index >= text.length) return text.length;
        if (text[index] !== "=") return index - 1;
        index += 1;
      }
      while (index < text.length && isBreak(index)) index += 1;
      return index;
    }
  }
}

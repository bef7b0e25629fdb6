/**
 * Compares strings by their UTF-8 bytes, the order of keys in a byte-ordered store. JavaScript's own order differs
 * where surrogates meet U+E000 to U+FFFF.
 */
export function compareKeys(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Moves surrogates, which stand for code points beyond U+FFFF, behind every other code unit. */
function rank(codeUnit: number): number {
  if (codeUnit < 0xd800) return codeUnit;
  return codeUnit < 0xe000 ? codeUnit + 0x2000 : codeUnit - 0x800;
}

/** The later of two keys in the order of {@link compareKeys}. */
export const laterKey = (a: string, b: string): string => (compareKeys(a, b) >= 0 ? a : b);

/** Returns a key that sorts after every key with this prefix and before every other greater key. */
export function prefixEnd(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}

/** The text without the characters `char` that it ends in. In one pass: an expression like `/x+$/` takes time by the square. */
export function withoutTrailing(text: string, char: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === char) end--;
  return text.slice(0, end);
}

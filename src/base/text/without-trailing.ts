/** Removes the characters `char` from the end of the text, in one pass: an expression like `/x+$/` takes quadratic time. */
export function withoutTrailing(text: string, char: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === char) end--;
  return text.slice(0, end);
}

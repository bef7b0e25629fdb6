import { dictionary } from "../collections/dictionary.js";

const NAMED: Readonly<Record<string, string>> = dictionary({
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
});

const NOT_AS_IT_IS = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Quotes text as Go's strconv.Quote (and %q) does: printable characters stay, the rest is escaped. */
export function goQuote(text: string): string {
  return `"${text.replace(NOT_AS_IT_IS, (char) => NAMED[char] ?? escape(char.codePointAt(0) ?? 0))}"`;
}

function escape(codePoint: number): string {
  const hex = codePoint.toString(16);
  if (codePoint < 0x80) return `\\x${hex.padStart(2, "0")}`;
  // A lone surrogate cannot stand in UTF-8; Go would have read the replacement character.
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return "\ufffd";
  return codePoint < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** Go's unicode.IsSpace without the no-break space. */
const SPACE = /[\t-\r \u0085\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/**
 * Wraps text as github.com/mitchellh/go-wordwrap does for kubectl's descriptions: at most `limit` characters per line, broken at
 * white space; line breaks stay, and so does a single word that is too long. White space at a break is dropped; at the end of a
 * line it is kept if it fits.
 */
export function wordWrap(text: string, limit: number): string {
  let out = "";
  let column = 0;
  let word = "";
  let wordLength = 0;
  let space = "";
  const settle = (): void => {
    out += space + word;
    column += space.length + wordLength;
    [word, wordLength, space] = ["", 0, ""];
  };
  for (const character of text) {
    if (character === "\n") {
      if (word === "" && column + space.length > limit) space = "";
      settle();
      out += character;
      column = 0;
    } else if (SPACE.test(character)) {
      if (space === "" || word !== "") settle();
      space += character;
    } else {
      word += character;
      wordLength++;
      if (column + space.length + wordLength > limit && wordLength < limit) {
        out += "\n";
        column = 0;
        space = "";
      }
    }
  }
  if (word === "" && column + space.length > limit) return out;
  return out + space + word;
}

/** Puts `amount` spaces before every line, the empty ones too. */
export function indent(text: string, amount: number): string {
  const pad = " ".repeat(amount);
  return pad + text.replaceAll("\n", `\n${pad}`);
}

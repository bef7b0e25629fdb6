/** As Go's strings.Fields sees white space. */
const SPACES = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

const BULLET = /^(?:\d+\.?|-|\*)[\t\n\f\r ]/;

/**
 * The lines of a description, as the older renderer breaks them: lines are joined and broken anew at `width` bytes, but
 * those that end in a colon, begin a list, are indented by four spaces or empty keep their breaks.
 */
export function wrapParagraphs(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let words: string[] = [];
  /** Empty again once a line ends, also where the word itself ended it by not fitting, and so begins the next one. */
  let lastWord = "";
  const flush = (): void => {
    if (words.length === 0) return;
    lines.push(words.join(" "));
    words = [];
    lastWord = "";
  };
  for (const source of text.split("\n")) {
    const fields = source.split(SPACES).filter((word) => word !== "");
    const isCode = source.startsWith("    ");
    if (isCode || (lines.length > 0 && fields.length === 0)) {
      flush();
      lines.push(isCode ? source : "");
      continue;
    }
    if (lastWord.endsWith(":") || fields.length === 0 || BULLET.test(trimmed(source))) flush();
    for (const word of fields) {
      lastWord = word;
      if (words.length > 0 && Buffer.byteLength([...words, word].join(" ")) > width) flush();
      words.push(word);
    }
  }
  flush();
  return lines;
}

const trimmed = (line: string): string =>
  line
    .split(SPACES)
    .filter((word) => word !== "")
    .join(" ");

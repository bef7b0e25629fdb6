const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";

/**
 * The certificates of a PEM text, each from its first line to its last, unread. Takes time in proportion to the text's length: a
 * regular expression would look for the end once for each beginning of a text without one.
 */
export function certificateBlocks(text: string): string[] {
  const blocks: string[] = [];
  for (let at = 0; ; ) {
    const begin = text.indexOf(BEGIN, at);
    const end = begin === -1 ? -1 : text.indexOf(END, begin + BEGIN.length);
    if (end === -1) return blocks;
    at = end + END.length;
    blocks.push(text.slice(begin, at));
  }
}

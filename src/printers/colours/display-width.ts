const ESCAPE = "\u001b";

/** Colours and the like (SGR), which take no room, with the mark of the program's own. */
const CODES = new RegExp(`${ESCAPE}\\[[0-9;]*m[\\u0001-\\u0008]*`, "g");

export const withoutCodes = (text: string): string => (text.includes(ESCAPE) ? text.replace(CODES, "") : text);

const PLAIN = /^[\u0020-\u007e]*$/;

/** Combining marks, joiners and variation selectors stand on what came before them. */
const NO_ROOM = /[\p{Mn}\p{Me}\p{Cf}]/u;

/**
 * What takes two columns: East Asian Wide and Fullwidth (Unicode Standard Annex #11), and what is shown as a picture.
 * Hangul's later jamo are drawn into the first.
 */
const TWO_COLUMNS =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;

const columnsOf = (char: string): number => {
  if (NO_ROOM.test(char) && char !== "\u00ad") return 0;
  return TWO_COLUMNS.test(char) ? 2 : 1;
};

/** How many columns of a terminal a text takes. */
export function displayWidth(text: string): number {
  const shown = withoutCodes(text);
  if (PLAIN.test(shown)) return shown.length;
  let width = 0;
  for (const char of shown) width += columnsOf(char);
  return width;
}

/**
 * The beginning of a text that fits into so many columns, with "…" where something is left out. Codes take no room and all of them stay, so
 * that a colour ends where the text does.
 */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns <= 0) return "";
  let cut = "";
  let room = columns - 1;
  const add = (part: string): void => {
    for (const char of part) {
      if (room < 0) return;
      room -= columnsOf(char);
      cut += room < 0 ? "…" : char;
    }
  };
  let end = 0;
  for (const { 0: code, index } of text.matchAll(CODES)) {
    add(text.slice(end, index));
    cut += code;
    end = index + code.length;
  }
  add(text.slice(end));
  return cut;
}

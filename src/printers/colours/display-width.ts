import { CONTROL, inertCharacter, MARK_LENGTH } from "../../base/text/inert-text.js";

/** The beginning of every escape sequence. */
export const ESCAPE = "\u001b";

/** Colours and the like (SGR), which take no room, with the mark of the program's own. */
const CODES = new RegExp(`${ESCAPE}\\[[0-9;]*m(?:[\\u0001-\\u0008]{${MARK_LENGTH}})?`, "g");

export const withoutCodes = (text: string): string => (text.includes(ESCAPE) ? text.replace(CODES, "") : text);

const PLAIN = /^[\u0020-\u007e]*$/;

/** Combining marks, joiners and variation selectors stand on what came before them. */
const NO_ROOM = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** A terminal gets words in their place. */
const IS_CONTROL = new RegExp(CONTROL);

/**
 * What takes two columns: East Asian Wide and Fullwidth (Unicode Standard Annex #11), and what is shown as a picture.
 * Hangul's later jamo are drawn into the first.
 */
const TWO_COLUMNS =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;

const columnsOf = (char: string): number => {
  if (IS_CONTROL.test(char)) return inertCharacter(char).length;
  if (NO_ROOM.test(char) && char !== "\u00ad") return 0;
  return TWO_COLUMNS.test(char) ? 2 : 1;
};

/** The number of terminal columns that a text takes. */
export function displayWidth(text: string): number {
  const shown = withoutCodes(text);
  if (PLAIN.test(shown)) return shown.length;
  let width = 0;
  for (const char of shown) width += columnsOf(char);
  return width;
}

/** The mark for text that is cut off. */
export const ELLIPSIS = "…";

/** Cuts a text to a number of columns, with `ellipsis` where it was longer. All its colour codes stay. */
export function cutToWidth(text: string, columns: number, ellipsis = ELLIPSIS): string {
  return displayWidth(text) <= columns ? text : endedBy(ellipsis, text, columns);
}

/** Cuts a text so that `ellipsis`, which is always added, still fits into the columns. All its colour codes stay. */
export function endedBy(ellipsis: string, text: string, columns: number): string {
  const mark = ellipsis.slice(0, Math.max(0, columns));
  let room = columns - mark.length;
  let isCut = false;
  const take = (piece: string): string => {
    let kept = "";
    for (const char of isCut ? "" : piece) {
      room -= columnsOf(char);
      isCut = room < 0;
      if (isCut) return kept + mark;
      kept += char;
    }
    return kept;
  };
  const parts: string[] = [];
  let from = 0;
  for (const { 0: code, index } of text.matchAll(CODES)) {
    parts.push(take(text.slice(from, index)), code);
    from = index + code.length;
  }
  parts.push(take(text.slice(from)));
  return isCut ? parts.join("") : parts.join("") + mark;
}

/**
 * A regular expression for control characters other than tabs and line ends: a terminal obeys some of them and prints none. C1 characters
 * stand for two-character sequences.
 */
export const CONTROL = String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)`;

/** The number of characters from U+0001 to U+0008 that mark a sequence as the program's own (cli/terminal/terminal-output.ts). */
export const MARK_LENGTH = 22;

const CONTROLS = new RegExp(CONTROL, "g");

/**
 * Replaces control characters by visible ones, as kubectl shows escape (^[) and return (\r), so that the text cannot control a terminal.
 */
export const inertText = (text: string): string => text.replace(CONTROLS, inertCharacter);

/** As {@link inertText}, on one line: line ends become \n, tabs become blanks. */
export const inertLine = (text: string): string => inertText(text).replaceAll(/\r?\n/g, "\\n").replaceAll("\t", " ");

/** Returns whether a word has a control character, a tab or a line end. */
export const holdsControls = (word: string): boolean => /[\t\n]/.test(word) || word.search(CONTROLS) >= 0;

/** Returns the visible form of a control character: "^G", "\r", "\x9b". */
export function inertCharacter(character: string): string {
  if (character === "\r") return "\\r";
  const code = character.charCodeAt(0);
  return code < 0x80 ? `^${String.fromCharCode(code ^ 0x40)}` : `\\x${code.toString(16)}`;
}

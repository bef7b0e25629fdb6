/** Control characters but tabs and line ends: a terminal obeys some of them, and prints none. C1 stands for two-character sequences. */
export const CONTROL = String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)`;

/** How many characters from U+0001 to U+0008 stand behind a sequence of the program's own (cli/terminal-output.ts). */
export const MARK_LENGTH = 22;

const CONTROLS = new RegExp(CONTROL, "g");

/** A text that does nothing to a terminal: control characters are shown as kubectl shows escape (^[) and return (\r). */
export const inertText = (text: string): string => text.replace(CONTROLS, inertCharacter);

/** The same on one line: ends of lines are shown as \n, tabs as blanks. */
export const inertLine = (text: string): string => inertText(text).replaceAll(/\r?\n/g, "\\n").replaceAll("\t", " ");

/** Whether a word holds a control character, a tab or an end of a line. */
export const holdsControls = (word: string): boolean => /[\t\n]/.test(word) || word.search(CONTROLS) >= 0;

/** How a control character is shown: "^G", "\r", "\x9b". */
export function inertCharacter(character: string): string {
  if (character === "\r") return "\\r";
  const code = character.charCodeAt(0);
  return code < 0x80 ? `^${String.fromCharCode(code ^ 0x40)}` : `\\x${code.toString(16)}`;
}

import { displayWidth } from "../../printers/colours/display-width.js";

/**
 * Whether the terminal of this environment shows UTF-8: the first of LC_ALL, LC_CTYPE and LANG that is set says so, and without any of them
 * the locale is C. Windows has none of them, and its terminals do.
 */
export function showsUtf8(env: Readonly<Record<string, string | undefined>>, platform: NodeJS.Platform): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return locale === "" ? platform === "win32" : /utf-?8/i.test(locale);
}

/** What stands for the characters that the program draws with. */
const DRAWN: Readonly<Record<string, string>> = {
  __proto__: null as never,
  "│": "|",
  "─": "-",
  "├": "|",
  "└": "`",
  "…": "~",
};

/** A text of as many columns in ASCII alone: "?" stands for what is not in it. */
export const asciiText = (text: string): string =>
  text.replace(/\P{ASCII}/gu, (character) => DRAWN[character] ?? "?".repeat(displayWidth(character)));

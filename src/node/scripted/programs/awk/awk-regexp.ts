import { dictionary } from "../../../../base/collections/dictionary.js";
import { posixRegexp, type PosixRegexp, RegexpError } from "../posix-regexp.js";
import { AwkError } from "./awk-syntax.js";

/** Compiles a pattern of awk, in which string escapes stand for characters. */
export function awkRegexp(pattern: string): PosixRegexp {
  const source = pattern.replace(
    /\\(?:([nrtfva"/])|([0-7]{1,3})|[^])/g,
    (whole, letter: string | undefined, octal: string | undefined) => {
      if (letter !== undefined) return LETTERS[letter] ?? letter;
      if (octal === undefined) return whole;
      const char = String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      return /[\\.*+?^$|(){}[\]]/.test(char) ? `\\${char}` : char;
    },
  );
  try {
    return posixRegexp(source, { extended: true, escapesInBrackets: true, lenient: true });
  } catch (error) {
    if (error instanceof RegexpError)
      throw new AwkError(`regular expression compile failed (${error.message})\n${pattern}`);
    throw error;
  }
}

const LETTERS: Readonly<Record<string, string>> = dictionary({
  n: "\n",
  r: "\r",
  t: "\t",
  f: "\f",
  v: "\v",
  a: "\x07",
});

import { byteText } from "./byte-text.js";

const ESCAPES: Readonly<Record<string, string>> = {
  __proto__: null as never,
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\x1b",
  "\\": "\\",
};

/** Backslash escapes as echo and printf read them: \n, \t, \033, \0nnn, which are bytes. `bytesOf` writes the text. */
export function unescaped(text: string): string {
  return text.replace(/\\(?:0?([0-7]{1,3})|([ntrabfve\\]))/g, (_whole, octal: string | undefined, letter: string) =>
    octal === undefined ? (ESCAPES[letter] ?? "") : byteText(Number.parseInt(octal, 8)),
  );
}

/** printf: the format is used again while arguments are left. `bytesOf` writes the text. */
export function printf(format: string, args: readonly string[]): string {
  const rest = [...args];
  let text = "";
  do {
    text += once(format, rest);
  } while (rest.length > 0 && /%[-0-9.]*[sdiuxXoc]/.test(format));
  return text;
}

function once(format: string, rest: string[]): string {
  return unescaped(format).replace(
    /%(-?)(0?)(\d*)(?:\.(\d+))?([sdiuxXoc%b])/g,
    (_whole, left, zero, width, precision, type) => {
      if (type === "%") return "%";
      const argument = rest.shift() ?? "";
      let text = formatted(type as string, argument);
      if (precision !== undefined && type === "s") text = text.slice(0, Number(precision));
      const size = Math.min(Number(width), 10_000);
      return left === "-" ? text.padEnd(size) : text.padStart(size, zero === "0" ? "0" : " ");
    },
  );
}

function formatted(type: string, argument: string): string {
  const number = Math.trunc(Number(argument)) || 0;
  switch (type) {
    case "s":
      return argument;
    case "b":
      return unescaped(argument);
    case "c":
      return argument.slice(0, 1);
    case "x":
      return number.toString(16);
    case "X":
      return number.toString(16).toUpperCase();
    case "o":
      return number.toString(8);
    default:
      return String(number);
  }
}

import { integerText } from "./arithmetic.js";
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
const ESCAPE = /\\(?:0?([0-7]{1,3})|([ntrabfve\\]))/y;
const CONVERSION = /%(-?)(0?)(\d*)(?:\.(\d+))?([sdiuxXoc%b])/y;
/** The longest piece of a text that is given at a time, in UTF-16 units. */
const LONGEST_PIECE = 16 * 1024;
/** Wider is refused by C's printf as well. */
const WIDEST = 2 ** 31 - 1;

/** Backslash escapes as echo and printf read them: \n, \t, \033, \0nnn, which are bytes. Gives the text piece by piece; `bytesOf` writes them. */
export function* unescaped(text: string): Generator<string, void> {
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf("\\", at);
    yield* cut(text, at, next < 0 ? text.length : next);
    if (next < 0) return;
    ESCAPE.lastIndex = next;
    const [escape = "\\", octal, letter] = ESCAPE.exec(text) ?? [];
    at = next + escape.length;
    yield escaped(escape, octal, letter);
  }
}

function escaped(escape: string, octal: string | undefined, letter: string | undefined): string {
  if (octal !== undefined) return byteText(Number.parseInt(octal, 8));
  return letter === undefined ? escape : (ESCAPES[letter] ?? "");
}

/** printf: the format is used again while arguments are left. Gives the text piece by piece; `bytesOf` writes them. */
export function* printf(format: string, args: readonly string[]): Generator<string, void> {
  const rest = args.values();
  let used = 0;
  do {
    const before = used;
    for (const piece of once(format, () => {
      used += 1;
      return rest.next().value ?? "";
    }))
      yield piece;
    if (used === before) return;
  } while (used < args.length);
}

function* once(format: string, next: () => string): Generator<string, void> {
  for (let at = 0; at < format.length; ) {
    const special = nextOf(format, at);
    yield* cut(format, at, special);
    at = special;
    if (format[special] !== "\\" && format[special] !== "%") continue;
    CONVERSION.lastIndex = ESCAPE.lastIndex = special;
    if (format[special] === "\\") {
      const [escape = "\\", octal, letter] = ESCAPE.exec(format) ?? [];
      at = special + escape.length;
      yield escaped(escape, octal, letter);
      continue;
    }
    const [whole = "%", left, zero, width = "", precision, type] = CONVERSION.exec(format) ?? [];
    at = special + whole.length;
    if (type === undefined || type === "%") yield "%";
    else yield* converted(type, next(), { left: left === "-", zero: zero === "0", width, precision });
  }
}

/** Where the next escape or conversion begins. */
function nextOf(format: string, at: number): number {
  let place = at;
  while (place < format.length && format[place] !== "\\" && format[place] !== "%" && place - at < LONGEST_PIECE)
    place += 1;
  return place;
}

interface Layout {
  readonly left: boolean;
  readonly zero: boolean;
  readonly width: string;
  readonly precision: string | undefined;
}

function* converted(type: string, argument: string, { left, zero, width, precision }: Layout): Generator<string, void> {
  const size = Math.min(Number(width), WIDEST);
  if (type === "b") {
    let length = 0;
    if (size > 0 && !left) {
      for (const piece of unescaped(argument)) {
        length += piece.length;
        yield "";
      }
    }
    yield* padding(size - length, " ");
    for (const piece of unescaped(argument)) {
      if (left) length += piece.length;
      yield piece;
    }
    if (left) yield* padding(size - length, " ");
    return;
  }
  const full = formatted(type, argument);
  const text = precision !== undefined && type === "s" ? full.slice(0, Number(precision)) : full;
  if (!left) yield* padding(size - text.length, zero ? "0" : " ");
  yield* cut(text, 0, text.length);
  if (left) yield* padding(size - text.length, " ");
}

function* padding(count: number, char: string): Generator<string, void> {
  for (let missing = count; missing > 0; missing -= LONGEST_PIECE) yield char.repeat(Math.min(missing, LONGEST_PIECE));
}

function* cut(text: string, from: number, to: number): Generator<string, void> {
  for (let at = from; at < to; ) {
    let end = Math.min(to, at + LONGEST_PIECE);
    // A character of two units stays whole.
    if (end < to && isFirstOfTwo(text.charCodeAt(end - 1))) end -= 1;
    yield text.slice(at, end);
    at = end;
  }
}

const isFirstOfTwo = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

function formatted(type: string, argument: string): string {
  const number = Math.trunc(Number(argument)) || 0;
  switch (type) {
    case "s":
      return argument;
    case "c":
      return argument.slice(0, 1);
    case "x":
      return number.toString(16);
    case "X":
      return number.toString(16).toUpperCase();
    case "o":
      return number.toString(8);
    default:
      return integerText(number);
  }
}

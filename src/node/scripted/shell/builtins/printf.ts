import { dictionary } from "../../../../base/collections/dictionary.js";
import { byteText } from "../expansion/byte-text.js";

const ESCAPES: Readonly<Record<string, string>> = dictionary({
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\x1b",
  "\\": "\\",
});
const ESCAPE = /\\(?:0?([0-7]{1,3})|([ntrabfve\\])|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4}))/y;
const CONVERSION = /%([-+ 0#]*)(\*|(?:[1-9]\d*)?)(?:\.(\d*|\*))?([sdiuxXocbqeEfFgG%])/y;
/** The longest piece of a text that is given at a time, in UTF-16 units. */
const LONGEST_PIECE = 16 * 1024;
/** Wider is refused by C's printf as well. */
const WIDEST = 2 ** 31 - 1;

/**
 * Decodes backslash escapes as echo and printf do: \n, \t, \033, \0nnn, which are bytes, and with `hasHex` \x41 and \u00e9. Yields
 * the text in pieces, which `bytesOf` encodes.
 */
export function* unescaped(text: string, hasHex = true): Generator<string, void> {
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf("\\", at);
    yield* cut(text, at, next < 0 ? text.length : next);
    if (next < 0) return;
    ESCAPE.lastIndex = next;
    const [escape = "\\", ...meanings] = ESCAPE.exec(text) ?? [];
    at = next + escape.length;
    yield hasHex || (meanings[2] ?? meanings[3]) === undefined ? escaped(escape, meanings) : escape;
  }
}

function escaped(escape: string, [octal, letter, hex, code]: readonly (string | undefined)[]): string {
  if (octal !== undefined) return byteText(Number.parseInt(octal, 8));
  if (hex !== undefined) return byteText(Number.parseInt(hex, 16));
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  return letter === undefined ? escape : (ESCAPES[letter] ?? "");
}

/**
 * printf: the format is used again while arguments are left. Gives the text piece by piece; `bytesOf` writes them. `invalid` is told of arguments
 * that are no numbers where some are wanted.
 */
export function* printf(
  format: string,
  args: readonly string[],
  invalid: (text: string) => void = () => {},
): Generator<string, void> {
  const rest = args.values();
  let used = 0;
  do {
    const before = used;
    const next = (): string | undefined => {
      used += 1;
      return rest.next().value;
    };
    yield* once(format, next, invalid);
    if (used === before) return;
  } while (used < args.length);
}

function* once(
  format: string,
  next: () => string | undefined,
  invalid: (text: string) => void,
): Generator<string, void> {
  for (let at = 0; at < format.length; ) {
    const special = nextOf(format, at);
    yield* cut(format, at, special);
    at = special;
    if (format[special] !== "\\" && format[special] !== "%") continue;
    CONVERSION.lastIndex = ESCAPE.lastIndex = special;
    if (format[special] === "\\") {
      const [escape = "\\", ...meanings] = ESCAPE.exec(format) ?? [];
      at = special + escape.length;
      yield escaped(escape, meanings);
      continue;
    }
    const [whole = "%", flags = "", width = "", precision, type] = CONVERSION.exec(format) ?? [];
    at = special + whole.length;
    if (type === undefined || type === "%") {
      yield "%";
      continue;
    }
    const given = (text: string): number => Number(text === "*" ? next() : text) || 0;
    const size = given(width);
    const layout: Layout = {
      left: flags.includes("-") || size < 0,
      zero: flags.includes("0"),
      sign: flags.includes("+") ? "+" : flags.includes(" ") ? " " : "",
      alternate: flags.includes("#"),
      width: Math.min(Math.abs(size), WIDEST),
      precision: precision === undefined ? undefined : given(precision),
    };
    yield* converted(type, next() ?? "", layout, invalid);
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
  readonly sign: "" | "+" | " ";
  /** 0x before hexadecimal numbers, 0 before octal ones. */
  readonly alternate: boolean;
  readonly width: number;
  readonly precision: number | undefined;
}

function* converted(
  type: string,
  argument: string,
  layout: Layout,
  invalid: (text: string) => void,
): Generator<string, void> {
  const { left, zero, width, precision } = layout;
  if (type === "b") {
    let length = 0;
    if (width > 0 && !left) {
      for (const piece of unescaped(argument)) {
        length += piece.length;
        yield "";
      }
    }
    yield* padding(width - length, " ");
    for (const piece of unescaped(argument)) {
      if (left) length += piece.length;
      yield piece;
    }
    if (left) yield* padding(width - length, " ");
    return;
  }
  if ("scq".includes(type)) {
    const full = type === "s" ? argument : type === "c" ? argument.slice(0, 1) : reusable(argument);
    const text = precision !== undefined && type === "s" ? full.slice(0, precision) : full;
    if (!left) yield* padding(width - text.length, " ");
    yield* cut(text, 0, text.length);
    if (left) yield* padding(width - text.length, " ");
    return;
  }
  const { sign, digits } = "eEfFgG".includes(type)
    ? floating(type, argument, layout, invalid)
    : integer(type, argument, layout, invalid);
  const zeros = "diuxXo".includes(type) ? Math.max(0, (precision ?? 0) - digits.length) : 0;
  const missing = width - sign.length - digits.length - zeros;
  const isFilled = zero && !left && (precision === undefined || !"diuxXo".includes(type));
  if (!left && !isFilled) yield* padding(missing, " ");
  yield sign;
  yield* padding(isFilled ? missing : zeros, "0");
  yield digits;
  if (left) yield* padding(missing, " ");
}

interface NumberText {
  readonly sign: string;
  readonly digits: string;
}

const LONGEST_NUMBER = 64;
const MASK = 0xffff_ffff_ffff_ffffn;

function integer(
  type: string,
  argument: string,
  { sign, alternate }: Layout,
  invalid: (text: string) => void,
): NumberText {
  const value = integerOf(argument, invalid);
  if (type === "d" || type === "i")
    return { sign: value < 0n ? "-" : sign, digits: String(value < 0n ? -value : value) };
  const bits = value & MASK;
  switch (type) {
    case "u":
      return { sign: "", digits: String(bits) };
    case "o":
      return { sign: "", digits: `${alternate ? "0" : ""}${bits.toString(8)}` };
    case "x":
      return { sign: alternate ? "0x" : "", digits: bits.toString(16) };
    default:
      return { sign: alternate ? "0X" : "", digits: bits.toString(16).toUpperCase() };
  }
}

/** As C reads integers: hexadecimal, octal, and the code of a character behind a quote. */
function integerOf(argument: string, invalid: (text: string) => void): bigint {
  const text = argument.trim();
  if (/^['"]/.test(text)) return BigInt(text.codePointAt(1) ?? 0);
  const [, sign, number = ""] = /^([-+]?)(0[xX][0-9a-fA-F]+|\d+)/.exec(text.slice(0, LONGEST_NUMBER)) ?? [];
  const length = (sign?.length ?? 0) + number.length;
  if (text !== "" && length < text.length) invalid(argument);
  if (number === "") return 0n;
  const isOctal = /^0[0-7]+$/.test(number);
  const value = isOctal ? BigInt(`0o${number.slice(1)}`) : BigInt(number);
  const limited = value > MASK >> 1n ? MASK >> 1n : value;
  return sign === "-" ? -limited : limited;
}

const MOST_DECIMALS = 100;

function floating(
  type: string,
  argument: string,
  { sign, precision = 6 }: Layout,
  invalid: (text: string) => void,
): NumberText {
  const value = argument.trim() === "" ? 0 : Number(argument.slice(0, LONGEST_NUMBER));
  if (Number.isNaN(value)) invalid(argument);
  const size = Math.abs(Number.isNaN(value) ? Number.parseFloat(argument) || 0 : value);
  const decimals = Math.min(precision, MOST_DECIMALS);
  const text =
    type === "f" || type === "F"
      ? fixed(size, decimals)
      : type === "e" || type === "E"
        ? exponential(size, decimals)
        : general(size, decimals || 1);
  return {
    sign: value < 0 || Object.is(value, -0) ? "-" : sign,
    digits: /[EFG]/.test(type) ? text.toUpperCase() : text,
  };
}

/** JavaScript writes large numbers with an exponent. */
const fixed = (size: number, decimals: number): string =>
  size < 1e21 ? size.toFixed(decimals) : `${BigInt(size)}${decimals > 0 ? `.${"0".repeat(decimals)}` : ""}`;

const exponential = (size: number, decimals: number): string =>
  size.toExponential(decimals).replace(/e([-+])(\d)$/, "e$10$2");

/** The shorter of both ways, without zeros at its end. */
function general(size: number, digits: number): string {
  const exponent = size === 0 ? 0 : Number(size.toExponential(digits - 1).split("e")[1]);
  if (exponent >= -4 && exponent < digits) return withoutZeros(size.toFixed(Math.max(0, digits - 1 - exponent)));
  const [mantissa = "", power = ""] = exponential(size, digits - 1).split("e");
  return `${withoutZeros(mantissa)}e${power}`;
}

const withoutZeros = (text: string): string =>
  text.includes(".") ? text.replace(/0{1,120}$/, "").replace(/\.$/, "") : text;

/** A word as bash writes it so that a shell reads it again (%q). */
function reusable(text: string): string {
  if (text === "") return "''";
  if (/\p{Cc}/u.test(text)) {
    const escaped = text.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t");
    return `$'${escaped}'`;
  }
  return text.replace(/[^\w@%+=:,./\u0080-\uffff-]/g, "\\$&");
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

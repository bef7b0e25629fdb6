import { dictionary } from "../../../base/collections/dictionary.js";
import { byteFor, bytesOf } from "../../../base/text/byte-text.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { formatHexFloat, formatMantissa, formatExponent, formatFixed, formatGeneral } from "./floats.js";

/** One `%` verb of a format. */
export interface Spec {
  readonly verb: string;
  /** Of "+-# 0", in any order, repeated at will. */
  readonly flags: string;
  readonly width: number | undefined;
  readonly precision: number | undefined;
  /** %#v: as Go's source has it. */
  readonly goSyntax?: boolean;
}

/** Pads a text to the width: on the left, with the flag "-" on the right. It counts characters, not bytes. */
export function pad(text: string, { flags, width = 0 }: Spec): string {
  const missing = width - Array.from(text).length;
  if (missing <= 0) return text;
  if (flags.includes("-")) return text + " ".repeat(missing);
  return (flags.includes("0") ? "0" : " ").repeat(missing) + text;
}

const BOTH_CASES = /[xX]/;

/** Formats a string by %s, %v, %q, %x or %X; returns undefined for another verb. */
export function formatText(text: string, spec: Spec): string | undefined {
  const { verb, precision } = spec;
  if (BOTH_CASES.test(verb)) return pad(hexBytes(text, spec), spec);
  const cut = precision === undefined ? text : Array.from(text).slice(0, precision).join("");
  if (verb === "s" || (verb === "v" && spec.goSyntax !== true)) return pad(cut, spec);
  return verb === "q" || verb === "v" ? pad(quote(cut, spec.flags), spec) : undefined;
}

function quote(text: string, flags: string): string {
  if (flags.includes("#") && canBackquote(text)) return `\`${text}\``;
  const quoted = Array.from(text, (character) => quoteCharacter(character, flags)).join("");
  return `"${quoted}"`;
}

/** Back quotes hold text of one line without ASCII's control characters but the tab. */
function canBackquote(text: string): boolean {
  return Array.from(text).every((character) => {
    const isControl = (character < " " && character !== "\t") || character === "\u007f";
    return !isControl && character !== "`" && character !== "\ufeff" && byteFor(character) === undefined;
  });
}

function quoteCharacter(character: string, flags: string): string {
  const byte = byteFor(character);
  if (byte !== undefined) return `\\x${byte.toString(16)}`;
  const code = character.codePointAt(0) ?? 0;
  if (!flags.includes("+") || code < 0x80) return goQuote(character).slice(1, -1);
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

const bases: Readonly<Record<string, number>> = dictionary({
  v: 10,
  d: 10,
  b: 2,
  o: 8,
  O: 8,
  x: 16,
  X: 16,
});

/** Formats an integer by %v, %d, %b, %o, %O, %x, %X, %c, %q or %U; returns undefined for another verb. */
export function formatInteger(value: bigint, spec: Spec): string | undefined {
  const { verb } = spec;
  if (verb === "c") return pad(characterOf(value), spec);
  if (verb === "q") return pad(quoteRune(characterOf(value), spec.flags), spec);
  if (verb === "U") return pad(unicodeNotation(value, spec), { ...spec, flags: spec.flags.replaceAll("0", "") });
  const base = bases[verb];
  return base === undefined ? undefined : formatInBase(value, base, spec);
}

function formatInBase(value: bigint, base: number, spec: Spec): string {
  const { verb, flags, width = 0, precision } = spec;
  const unpadded = { ...spec, flags: flags.replaceAll("0", "") };
  if (precision === 0 && value === 0n) return " ".repeat(width);
  const magnitude = (value < 0n ? -value : value).toString(base);
  const sign = signOf(value < 0n, flags);
  const fills = flags.includes("0") && !flags.includes("-") && precision === undefined;
  const digits = magnitude.padStart(precision ?? (fills ? width - sign.length : 0), "0");
  const text = sign + prefixOf(verb, flags, digits) + digits;
  return pad(verb === "X" ? text.toUpperCase().replace("0B", "0b") : text, unpadded);
}

function prefixOf(verb: string, flags: string, digits: string): string {
  const octal = verb === "O" ? "0o" : "";
  if (!flags.includes("#")) return octal;
  if (verb === "b") return "0b";
  if (verb === "o" || verb === "O") return digits.startsWith("0") ? octal : `${octal}0`;
  return BOTH_CASES.test(verb) ? "0x" : "";
}

function signOf(negative: boolean, flags: string): string {
  if (negative) return "-";
  return flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
}

/** The character of a code point; U+FFFD for what is none. */
function characterOf(value: bigint): string {
  const valid = value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn);
  return valid ? String.fromCodePoint(Number(value)) : "\ufffd";
}

function quoteRune(character: string, flags: string): string {
  if (character === "'") return "'\\''";
  return character === '"' ? `'"'` : `'${quoteCharacter(character, flags)}'`;
}

function unicodeNotation(value: bigint, { flags, precision = 4 }: Spec): string {
  const code = BigInt.asUintN(64, value).toString(16).toUpperCase().padStart(Math.max(precision, 4), "0");
  const character = characterOf(value);
  const shown = flags.includes("#") && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character);
  return shown ? `U+${code} '${character}'` : `U+${code}`;
}

/** Formats a float by %v, %g, %G, %e, %E, %f, %F, %b, %x or %X; returns undefined for another verb. */
export function formatFloat(value: number, spec: Spec): string | undefined {
  const digits = floatDigits(Math.abs(value), spec);
  if (digits === undefined) return undefined;
  const { flags, width = 0 } = spec;
  const sign = signOf(value < 0, flags);
  const fills = flags.includes("0") && !flags.includes("-");
  return pad(sign + (fills ? digits.padStart(width - sign.length, "0") : digits), spec);
}

function floatDigits(value: number, { verb, flags, precision }: Spec): string | undefined {
  const digits = plainDigits(value, verb.toLowerCase(), precision);
  if (digits === undefined || verb === "B") return undefined;
  const shown = flags.includes("#") && verb !== "b" ? sharpened(digits, verb, precision) : digits;
  return /[A-Z]/.test(verb) ? shown.toUpperCase() : shown;
}

function plainDigits(value: number, verb: string, precision: number | undefined): string | undefined {
  switch (verb) {
    case "v":
    case "g":
      return formatGeneral(value, precision);
    case "e":
      return formatExponent(value, precision ?? 6);
    case "f":
      return formatFixed(value, precision ?? 6);
    case "b":
      return formatMantissa(value);
    case "x":
      return formatHexFloat(value, precision);
    default:
      return undefined;
  }
}

/**
 * With "#" there is always a point, and %g and %x are filled with zeros up to the precision. The `x` of a hexadecimal
 * number counts as a digit, in Go.
 */
function sharpened(text: string, verb: string, precision = 6): string {
  const exponent = text.search(text.startsWith("0x") ? /[pP]/ : /[pPeE]/);
  const [mantissa, tail] = exponent === -1 ? [text, ""] : [text.slice(0, exponent), text.slice(exponent)];
  const wanted = /[vgGx]/.test(verb) ? precision : 0;
  const significant = mantissa.replace(/^[0.]*/, "").replace(".", "").length;
  const pointed = mantissa.includes(".") ? mantissa : `${mantissa}.`;
  const shown = mantissa === "0" ? 1 : significant;
  return pointed + "0".repeat(Math.max(wanted - shown, 0)) + tail;
}

/** The bytes of a string in hexadecimal, for %x and %X. */
function hexBytes(text: string, { verb, flags, precision }: Spec): string {
  const bytes = bytesOf(text);
  const shown = Array.from(precision === undefined ? bytes : bytes.subarray(0, precision), (byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  const prefix = flags.includes("#") && shown.length > 0 ? "0x" : "";
  const separator = flags.includes(" ") ? ` ${prefix}` : "";
  const hex = prefix + shown.join(separator);
  return verb === "X" ? hex.toUpperCase() : hex;
}

import { goQuote } from "../../../base/text/go-quote.js";
import { compareStrings } from "../standard/comparison.js";
import { formatDouble } from "../standard/conversions.js";
import { describeValue, Double, ErrorValue, isNumeric, typeOf, Uint, type Value } from "../values/value.js";
import { Duration } from "../values/duration.js";
import { ListValue } from "../values/list.js";
import { MapValue } from "../values/map.js";
import { spendSteps } from "../values/meter.js";
import { Timestamp } from "../values/timestamp.js";
import { fixedPoint, plainDouble, scientific } from "./format-number.js";
import { Type } from "../types/type.js";

/**
 * How values are formatted. `literal`: as in cel-go before version 4 of strings, where values in lists and maps have CEL's syntax
 * (`["a", duration("1s")]`); `plain`: as since then (`[a, 1s]`).
 */
export type FormatStyle = "literal" | "plain";

/** Thrown when a format cannot be applied; the message is that of the CEL error. */
export class FormatError extends Error {}

/** Formats arguments by verbs. */
export interface FormatWriter {
  /** What writes a value; undefined: there is no such verb. Throws a {@link FormatError} for a value that the verb cannot be used on. */
  verb(verb: string, precision: number): ((value: Value) => string) | undefined;
}

/** The longest text that is made. */
const LONGEST = 2 ** 26;

/** Replaces each clause (`%s`, `%.2f`) by an argument. */
export function formatString(template: string, args: ListValue, style: FormatStyle): Value {
  try {
    return new Formatter(template, args, new ValueWriter(style)).run();
  } catch (error) {
    if (error instanceof FormatError) return new ErrorValue(error.message);
    throw error;
  }
}

/** Reads a template once. */
export class Formatter {
  readonly #template: string;
  readonly #args: ListValue;
  readonly #writer: FormatWriter;
  #next = 0;

  constructor(template: string, args: ListValue, writer: FormatWriter) {
    this.#template = template;
    this.#args = args;
    this.#writer = writer;
  }

  /** How many arguments clauses have asked for. */
  get used(): number {
    return this.#next;
  }

  run(): string {
    const parts: string[] = [];
    let at = 0;
    let length = 0;
    while (at < this.#template.length) {
      const percent = this.#template.indexOf("%", at);
      const end = percent === -1 ? this.#template.length : percent;
      parts.push(this.#template.slice(at, end));
      if (percent === -1) break;
      const [written, read] = this.#clause(percent + 1);
      length += written.length;
      if (length > LONGEST) throw new FormatError("string is too long");
      parts.push(written);
      at = read;
    }
    return parts.join("");
  }

  /** Writes what the clause behind a percent sign means; answers where the clause ends too. */
  #clause(start: number): readonly [string, number] {
    if (this.#template[start] === "%") return ["%", start + 1];
    if (this.#next >= this.#args.size) throw new FormatError(`index ${this.#next} out of range`);
    const argument = this.#args.at(this.#next);
    this.#next += 1;
    if (start >= this.#template.length) throw new FormatError("unexpected end of string");
    const [precision, at] = this.#precision(start);
    const verb = String.fromCodePoint(this.#template.codePointAt(at) ?? 0);
    spendSteps(4);
    return [this.#write(verb, argument, precision), at + verb.length];
  }

  #precision(start: number): readonly [number, number] {
    if (this.#template[start] !== ".") return [6, start];
    const digits = /^\d*/.exec(this.#template.slice(start + 1, start + 1 + 20))?.[0] ?? "";
    const end = start + 1 + digits.length;
    const wrong = (reason: string): FormatError =>
      new FormatError(`could not parse formatting clause: error while parsing precision: ${reason}`);
    if (end >= this.#template.length) throw wrong("could not find end of precision specifier");
    if (digits === "") {
      throw wrong('error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax');
    }
    const precision = Number(digits);
    if (precision > 100) throw wrong(`precision ${precision} exceeds maximum allowed precision 100`);
    return [precision, end];
  }

  #write(verb: string, value: Value, precision: number): string {
    const write = this.#writer.verb(verb, precision);
    if (write === undefined) {
      throw new FormatError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
    }
    return write(value);
  }
}

/** The error for a verb that is used on a wrong type, in the words of each style. */
export const USES: Readonly<Record<FormatStyle, Readonly<Record<string, string>>>> = {
  literal: {
    b: "only integers and bools can be formatted as binary",
    d: "decimal clause can only be used on integers",
    e: "scientific clause can only be used on doubles",
    f: "fixed-point clause can only be used on doubles",
    o: "octal clause can only be used on integers",
    x: "only integers, byte buffers, and strings can be formatted as hex",
  },
  plain: {
    b: "only ints, uints, and bools can be formatted as binary",
    d: "decimal clause can only be used on ints, uints, and doubles",
    e: "scientific clause can only be used on ints, uints, and doubles",
    f: "fixed-point clause can only be used on ints, uints, and doubles",
    o: "octal clause can only be used on ints and uints",
    x: "only ints, uints, bytes, and strings can be formatted as hex",
  },
};

export const STRING_USES =
  "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps";

/** The error of a value whose type a verb does not support. */
export const misused = (use: string, type: Type): string => `error during formatting: ${use}, was given ${type.name}`;

function refuse(use: string, value: Value): never {
  throw new FormatError(misused(use, typeOf(value)));
}

function integerOf(value: Value): bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return BigInt(value);
  return value instanceof Uint ? value.value : undefined;
}

class ValueWriter implements FormatWriter {
  readonly #style: FormatStyle;

  constructor(style: FormatStyle) {
    this.#style = style;
  }

  /** What writes a value as a verb says; undefined: there is no such verb. */
  verb(verb: string, precision: number): ((value: Value) => string) | undefined {
    switch (verb) {
      case "s":
        return (value) => this.string(value);
      case "d":
        return (value) => this.#decimal(value);
      case "f":
        return (value) => this.#fixed("f", value, (number) => this.#fixedPoint(number, precision));
      case "e":
        return (value) => this.#fixed("e", value, (number) => this.#scientific(number, precision));
      case "b":
        return (value) => this.#binary(value);
      case "o":
        return (value) => this.#octal(value);
      case "x":
        return (value) => this.#hex(value);
      case "X":
        return (value) => this.#hex(value).toUpperCase();
      default:
        return undefined;
    }
  }

  string(value: Value): string {
    spendSteps(1);
    if (value instanceof Double && this.#style === "plain") return plainDouble(value.value);
    if (value instanceof Double) return formatDouble(value.value);
    if (value instanceof Uint8Array) return this.#bytes(value);
    if (value instanceof ListValue) return this.#list(value);
    if (value instanceof MapValue) return this.#map(value);
    if (value instanceof Type) return value.name;
    const known =
      value === null ||
      typeof value !== "object" ||
      isNumeric(value) ||
      value instanceof Timestamp ||
      value instanceof Duration;
    if (known) return describeValue(value);
    return refuse(STRING_USES, value);
  }

  #bytes(bytes: Uint8Array): string {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    return text;
  }

  #list(list: ListValue): string {
    return `[${list
      .toArray()
      .map((element) => this.#inner(element))
      .join(", ")}]`;
  }

  #map(map: MapValue): string {
    const entries = Array.from(map.keys(), (key) => [this.#inner(key), this.#inner(map.get(key) as Value)] as const);
    spendSteps(entries.length);
    const separator = this.#style === "plain" ? ": " : ":";
    const sorted = entries.toSorted(([a], [b]) => compareStrings(a, b));
    return `{${sorted.map(([key, value]) => `${key}${separator}${value}`).join(", ")}}`;
  }

  /** A value in a list or a map. */
  #inner(value: Value): string {
    if (this.#style === "plain") return this.string(value);
    if (typeof value === "string") return goQuote(value);
    if (value instanceof Uint8Array) return `b${goQuote(this.#bytes(value))}`;
    if (value instanceof Timestamp) return `timestamp(${goQuote(value.toString())})`;
    if (value instanceof Duration) return `duration(${goQuote(value.toString())})`;
    if (value instanceof Double && Number.isFinite(value.value)) return fixedPoint(value.value, 6);
    if (value instanceof Double) return goQuote(formatDouble(value.value));
    return this.string(value);
  }

  #decimal(value: Value): string {
    const integer = integerOf(value);
    if (integer !== undefined) return integer.toString();
    if (this.#style === "plain" && value instanceof Double) return plainDouble(value.value);
    return this.#refuse("d", value);
  }

  #refuse(verb: string, value: Value): never {
    return refuse(USES[this.#style][verb] ?? "", value);
  }

  #fixed(verb: string, value: Value, write: (number: number) => string): string {
    const special = this.#style === "literal" ? SPECIAL.get(value) : undefined;
    if (special !== undefined) return write(special);
    if (value instanceof Double) return write(value.value);
    const integer = this.#style === "plain" ? integerOf(value) : undefined;
    if (integer !== undefined) return write(Number(integer));
    return this.#refuse(verb, value);
  }

  /** The older style writes numbers for readers of American English: `12,345.60`, `∞`. */
  #fixedPoint(value: number, precision: number): string {
    const text = fixedPoint(value, precision);
    if (this.#style === "plain") return text;
    return text.replace("Infinity", "∞").replace(/\d+/, (whole) => whole.replaceAll(/\d(?=(?:\d{3})+$)/g, "$&,"));
  }

  #scientific(value: number, precision: number): string {
    const text = scientific(value, precision);
    if (this.#style === "plain") return text;
    return text.replace("Infinity", "∞").replace(/e([-+])(\d+)$/, (_, sign: string, digits: string) => {
      const power = Array.from(digits, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");
      return `×10${sign === "-" ? "⁻" : ""}${power}`;
    });
  }

  #binary(value: Value): string {
    if (typeof value === "boolean") return value ? "1" : "0";
    return integerOf(value)?.toString(2) ?? this.#refuse("b", value);
  }

  #octal(value: Value): string {
    return integerOf(value)?.toString(8) ?? this.#refuse("o", value);
  }

  #hex(value: Value): string {
    const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
    if (bytes instanceof Uint8Array) {
      spendSteps(bytes.length);
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    }
    return integerOf(value)?.toString(16) ?? this.#refuse("x", value);
  }
}

/** Texts that the older style takes for numbers. */
const SPECIAL: ReadonlyMap<Value, number> = new Map<Value, number>([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

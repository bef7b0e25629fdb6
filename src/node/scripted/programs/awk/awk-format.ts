/** Wider is refused: C's limit. */
const WIDEST = 2 ** 31 - 1;
const CONVERSION = /%([-+ #0]*)(\*|(?:[1-9]\d*)?)(?:\.(\*|\d*))?(?:[hlLqjzt]*)([a-zA-Z%])/y;
/** More digits than JavaScript gives are zeros. */
const MOST_DIGITS = 100;

/** Called with the bytes that a width or a precision requires, before the text is made, so that its memory is counted. */
export type CountBytes = (bytes: number) => void;

/** Formats as C's printf does. `text` makes a text of a value. */
export function formatAwk(
  format: string,
  args: readonly Value[],
  text: (value: Value) => string,
  count: CountBytes = () => {},
): string {
  let result = "";
  let used = 0;
  const next = (): Value => args[used++];
  for (let at = 0; at < format.length; ) {
    const special = format.indexOf("%", at);
    if (special < 0) return result + format.slice(at);
    result += format.slice(at, special);
    CONVERSION.lastIndex = special;
    const [whole = "%", flags = "", width = "", precision, type = "%"] = CONVERSION.exec(format) ?? [];
    at = special + whole.length;
    if (type === "%") {
      result += "%";
      continue;
    }
    const number = (part: string): number => (part === "*" ? Math.trunc(toNumber(next())) : Number(part));
    let size = number(width);
    const left = flags.includes("-") || size < 0;
    size = Math.min(Math.abs(size), WIDEST);
    const digits = precision === undefined ? undefined : Math.min(Math.max(0, number(precision)), WIDEST);
    count(size + (digits ?? 0));
    const value = next();
    const shown = convert(type, value, flags, digits, text);
    const missing = size - shown.length;
    if (missing <= 0) result += shown;
    else if (left) result += shown + " ".repeat(missing);
    else if (flags.includes("0") && /^[diouxXeEfFgG]$/.test(type) && !(digits !== undefined && /[dioux]/i.test(type)))
      result += shown.replace(/^([-+ ]?(?:0[xX])?)/, (sign) => sign + "0".repeat(missing));
    else result += " ".repeat(missing) + shown;
  }
  return result;
}

function convert(
  type: string,
  value: Value,
  flags: string,
  precision: number | undefined,
  text: (value: Value) => string,
): string {
  switch (type) {
    case "s": {
      const whole = text(value);
      return precision === undefined ? whole : whole.slice(0, precision);
    }
    case "c":
      return typeof value === "number" ? String.fromCharCode(value & 0xff) : text(value).slice(0, 1);
    case "d":
    case "i":
      return signed(integer(toNumber(value), 10, precision), flags);
    case "u":
    case "o":
    case "x":
    case "X": {
      const radix = type === "o" ? 8 : type === "u" ? 10 : 16;
      const digits = integer(toNumber(value), radix, precision);
      const prefix = flags.includes("#") && digits !== "0" ? (type === "o" ? "0" : radix === 16 ? "0x" : "") : "";
      return type === "X" ? (prefix + digits).toUpperCase() : prefix + digits;
    }
    case "e":
    case "E":
    case "f":
    case "F":
    case "g":
    case "G": {
      const number = toNumber(value);
      if (!Number.isFinite(number)) return signed(Number.isNaN(number) ? "nan" : number < 0 ? "-inf" : "inf", flags);
      const digits = precision ?? 6;
      const lower = type.toLowerCase();
      const shown =
        lower === "f"
          ? fixed(number, digits)
          : lower === "e"
            ? exponential(number, digits)
            : general(number, digits, flags);
      return signed(type === lower ? shown : shown.toUpperCase(), flags);
    }
    default:
      return `%${type}`;
  }
}

const signed = (text: string, flags: string): string =>
  text.startsWith("-") ? text : flags.includes("+") ? `+${text}` : flags.includes(" ") ? ` ${text}` : text;

function integer(number: number, radix: number, precision = 1): string {
  if (!Number.isFinite(number)) return Number.isNaN(number) ? "nan" : number < 0 ? "-inf" : "inf";
  const whole = Math.trunc(number);
  const digits = (Number.isSafeInteger(whole) ? Math.abs(whole) : BigInt(Math.abs(whole))).toString(radix);
  return (whole < 0 ? "-" : "") + digits.padStart(precision, "0");
}

function fixed(number: number, digits: number): string {
  const most = Math.min(digits, MOST_DIGITS);
  const zeros = "0".repeat(digits - most);
  if (Math.abs(number) < 1e21) return number.toFixed(most) + zeros;
  return BigInt(number).toString() + (digits > 0 ? `.${"0".repeat(digits)}` : "");
}

function exponential(number: number, digits: number): string {
  const most = Math.min(digits, MOST_DIGITS);
  const [mantissa = "", exponent = ""] = number.toExponential(most).split("e");
  return `${mantissa}${"0".repeat(digits - most)}e${exponent.replace(/^([-+])(\d)$/, "$10$2")}`;
}

function general(number: number, digits: number, flags: string): string {
  if (number === 0) return "0";
  const precision = Math.min(Math.max(1, digits), MOST_DIGITS);
  const exponent = Number(number.toExponential(precision - 1).split("e")[1]);
  const isShort = exponent >= -4 && exponent < precision;
  const shown = isShort ? fixed(number, precision - 1 - exponent) : exponential(number, precision - 1);
  return flags.includes("#") ? shown : withoutZeros(shown);
}

/** Without zeros at the end of its fraction: "1.500e+10" is "1.5e+10". */
function withoutZeros(number: string): string {
  const [digits = "", ...exponent] = number.split("e");
  let end = digits.length;
  if (digits.includes(".")) while (digits[end - 1] === "0") end -= 1;
  if (digits[end - 1] === ".") end -= 1;
  return [digits.slice(0, end), ...exponent].join("e");
}

/** Converts a value to a text; `format` is CONVFMT or OFMT. */
export function toText(value: Value, format: string): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  if (typeof value === "object") return value.text;
  if (Number.isInteger(value) && Math.abs(value) < Number.MAX_SAFE_INTEGER) return String(value === 0 ? 0 : value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (Number.isInteger(value) && Math.abs(value) < LARGEST_INTEGER) return BigInt(value).toString();
  return formatAwk(format, [value], String);
}

const LARGEST_INTEGER = 1e18;

/** A field, or a text from input: it compares as a number if it looks like one. */
export class InputText {
  #isNumber: boolean | undefined;

  constructor(readonly text: string) {}

  get isNumber(): boolean {
    return (this.#isNumber ??= LOOKS_NUMERIC.test(this.text));
  }
}

/** The value of a variable; undefined before it is assigned. */
export type Value = number | string | InputText | undefined;

const LOOKS_NUMERIC = /^[ \t\n\r\f\v]*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?[ \t\n\r\f\v]*$/;
const NUMBER = /^[ \t\n\r\f\v]*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/;
/** Texts of numbers are not longer. */
const LONGEST_NUMBER = 512;

export function toNumber(value: Value): number {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  const text = typeof value === "string" ? value : value.text;
  const code = text.charCodeAt(0);
  if (text.length < 10 && code >= 49 && code <= 57 && /^\d+$/.test(text)) return Number(text);
  return Number(NUMBER.exec(text.length > LONGEST_NUMBER ? text.slice(0, LONGEST_NUMBER) : text)?.[1] ?? 0);
}

export function isTrue(value: Value): boolean {
  if (typeof value === "number") return value !== 0;
  if (typeof value === "object") return value.isNumber ? toNumber(value) !== 0 : value.text !== "";
  return value !== undefined && value !== "";
}

export const isNumeric = (value: Value): boolean =>
  typeof value === "number" || value === undefined || (typeof value === "object" && value.isNumber);

/** The number of bytes in a value. */
export const bytesIn = (value: Value): number =>
  typeof value === "string" ? value.length : typeof value === "object" ? value.text.length : 0;

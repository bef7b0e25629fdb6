const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const HEX_FLOAT = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/;

/** Parses an integer literal of Go (0x, 0o, 0b, a leading 0, `_` between digits) of any size; undefined for an invalid one. */
export function parseIntegerLiteral(text: string): bigint | undefined {
  const plain = withoutUnderscores(text);
  const match = /^([+-]?)(?:0([xXbBoO])([0-9a-fA-F]+)|0([0-7]+)|(0|[1-9][0-9]*))$/.exec(plain ?? "");
  if (match === null) return undefined;
  const [, sign, prefix, digits, octal, decimal] = match;
  const value = integerOf(prefix?.toLowerCase(), digits ?? octal ?? "", decimal);
  return value === undefined || sign !== "-" ? value : -value;
}

function integerOf(prefix: string | undefined, digits: string, decimal: string | undefined): bigint | undefined {
  if (decimal !== undefined) return BigInt(decimal);
  if (prefix === "x") return BigInt(`0x${digits}`);
  if (prefix === "b") return /^[01]+$/.test(digits) ? BigInt(`0b${digits}`) : undefined;
  return /^[0-7]+$/.test(digits) ? BigInt(`0o${digits}`) : undefined;
}

/** Parses a floating-point literal of Go; undefined for an invalid one and for one that is too large. */
export function parseFloatLiteral(text: string): number | undefined {
  const plain = withoutUnderscores(text);
  if (plain === undefined) return undefined;
  const hex = HEX_FLOAT.exec(plain);
  const value = hex === null ? (DECIMAL.test(plain) ? Number(plain) : undefined) : hexFloat(hex);
  return value === undefined || Number.isFinite(value) ? value : undefined;
}

function hexFloat([, sign, whole = "", fraction = "", exponent = "0"]: readonly string[]): number | undefined {
  if (whole + fraction === "") return undefined;
  const value = Number.parseInt(whole + fraction, 16) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === "-" ? -value : value;
}

/** An underscore stands between digits, or between the prefix of a base and the first digit. */
function withoutUnderscores(text: string): string | undefined {
  if (!text.includes("_")) return text;
  const prefix = /^[+-]?0[xXbBoO]/.exec(text)?.[0] ?? "";
  const digit = /[xX]$/.test(prefix) ? "[0-9a-fA-F]" : "[0-9]";
  const rest = text.slice(prefix.length);
  const alone = new RegExp(`${prefix === "" ? "^_|" : ""}(?<!^|${digit})_|_(?!${digit})`);
  return alone.test(rest) ? undefined : prefix + rest.replaceAll("_", "");
}

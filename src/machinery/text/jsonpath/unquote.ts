import { JsonPathError } from "./jsonpath-error.js";

const simple = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\\", "\\"],
]);

/** Undoes Go's quoting, of a string in double or single quotes (then of any length). Throws "invalid syntax". */
export function unquote(quoted: string): string {
  const quote = quoted[0];
  const inner = quoted.slice(1, -1);
  let text = "";
  for (let at = 0; at < inner.length; ) {
    const character = inner.charAt(at);
    if (character === quote) throw invalid();
    if (character !== "\\") {
      text += character;
      at += 1;
      continue;
    }
    const read = readEscape(inner, at + 1, quote ?? "");
    text += read.text;
    at = read.end;
  }
  return text;
}

function readEscape(text: string, at: number, quote: string): { readonly text: string; readonly end: number } {
  const kind = text.charAt(at);
  const known = simple.get(kind);
  if (known !== undefined) return { text: known, end: at + 1 };
  if (kind === "'" || kind === '"') {
    if (kind !== quote) throw invalid();
    return { text: kind, end: at + 1 };
  }
  const digits = { x: 2, u: 4, U: 8 }[kind];
  if (digits !== undefined) return numeric(text, at + 1, digits, 16);
  if (/[0-7]/.test(kind)) return numeric(text, at, 3, 8);
  throw invalid();
}

function numeric(
  text: string,
  at: number,
  length: number,
  base: 8 | 16,
): { readonly text: string; readonly end: number } {
  const digits = text.slice(at, at + length);
  const wanted = base === 8 ? /^[0-7]+$/ : /^[0-9a-fA-F]+$/;
  if (digits.length !== length || !wanted.test(digits)) throw invalid();
  const code = Number.parseInt(digits, base);
  if ((base === 8 && code > 255) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw invalid();
  return { text: String.fromCodePoint(code), end: at + length };
}

function invalid(): JsonPathError {
  return new JsonPathError("invalid syntax");
}

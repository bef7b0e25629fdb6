import type { SourceText } from "../issues.js";

export interface Token {
  /** As cel-go's grammar names it in messages (`IDENTIFIER`, `NUM_INT`, `<EOF>`); symbols and words are their own kind. */
  readonly kind: string;
  readonly text: string;
  /** Where it begins, in code points. */
  readonly offset: number;
}

const WORDS = new Set(["in", "true", "false", "null"]);

const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?\x60]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;
const QUOTED = [
  String.raw`"""(?:${ESCAPE}|[^\\])*?"""`,
  String.raw`'''(?:${ESCAPE}|[^\\])*?'''`,
  String.raw`"(?:${ESCAPE}|[^\\"\n\r])*"`,
  String.raw`'(?:${ESCAPE}|[^\\'\n\r])*'`,
  String.raw`[rR]"""[^]*?"""`,
  String.raw`[rR]'''[^]*?'''`,
  String.raw`[rR]"[^"\n\r]*"`,
  String.raw`[rR]'[^'\n\r]*'`,
].join("|");

/** What may stand at a place, in the order in which it is tried; the longest match of numbers comes first. */
const PATTERNS: readonly (readonly [string, RegExp])[] = [
  ["skip", /[\t \r\n\f]+|\/\/[^\n]*/y],
  ["BYTES", new RegExp(`[bB](?:${QUOTED})`, "uy")],
  ["STRING", new RegExp(QUOTED, "uy")],
  ["NUM_FLOAT", /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y],
  ["NUM_UINT", /0x[0-9a-fA-F]+[uU]|\d+[uU]/y],
  ["NUM_INT", /0x[0-9a-fA-F]+|\d+/y],
  ["IDENTIFIER", /[A-Za-z_]\w*/y],
  ["ESC_IDENTIFIER", /`[\w./ -]+`/y],
  ["symbol", /==|!=|<=|>=|&&|\|\||[<>[\](){}.,\-!?:+*/%]/y],
];

/** Cuts a source into tokens, the last of which is `<EOF>`. What is no token is reported, and left out. */
export function tokenize(source: SourceText, report: (offset: number, message: string) => void): Token[] {
  const { text } = source;
  const tokens: Token[] = [];
  let at = 0;
  let offset = 0;
  const advance = (length: number): void => {
    offset += isAscii(text, at, length) ? length : Array.from(text.slice(at, at + length)).length;
    at += length;
  };
  while (at < text.length) {
    const found = match(text, at);
    if (found === undefined) {
      const length = unrecognized(text, at);
      report(offset, `Syntax error: token recognition error at: '${printable(text.slice(at, at + length))}'`);
      advance(length);
      continue;
    }
    const [kind, matched] = found;
    if (kind === "symbol" || (kind === "IDENTIFIER" && WORDS.has(matched))) {
      tokens.push({ kind: matched, text: matched, offset });
    } else if (kind !== "skip") {
      tokens.push({ kind, text: matched, offset });
    }
    advance(matched.length);
  }
  tokens.push({ kind: "<EOF>", text: "<EOF>", offset });
  return tokens;
}

function match(text: string, at: number): readonly [string, string] | undefined {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) return [kind, found[0]];
  }
  return undefined;
}

const CUT_ESCAPE = String.raw`\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?`;

/** A string that breaks off at a line's end or a bad escape, an unfinished name in backquotes, or an unfinished operator. */
const UNRECOGNIZED = new RegExp(
  [
    String.raw`[bB]?"(?:${ESCAPE}|[^\\"\n\r])*(?:${CUT_ESCAPE})?.?`,
    String.raw`[bB]?'(?:${ESCAPE}|[^\\'\n\r])*(?:${CUT_ESCAPE})?.?`,
    String.raw`[bB]?[rR]["'].*`,
    "`[\\w./ -]*.?",
    "[&|=]?[^]",
  ].join("|"),
  "uy",
);

/** How much of the text the lexer reads before it gives up: a string to the place where it ends or breaks. */
function unrecognized(text: string, at: number): number {
  UNRECOGNIZED.lastIndex = at;
  const found = UNRECOGNIZED.exec(text)?.[0] ?? text[at] ?? "";
  return Math.max(found.length, 1);
}

/** As ANTLR prints characters in messages. */
function printable(text: string): string {
  return text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
}

function isAscii(text: string, at: number, length: number): boolean {
  for (let index = at; index < at + length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

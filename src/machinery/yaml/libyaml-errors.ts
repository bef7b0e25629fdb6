import { YamlError } from "./yaml-error.js";

export interface Mark {
  /** Zero-based. */
  readonly line: number;
  readonly column: number;
  readonly position: number;
}

/**
 * Words a syntax error of our parser as libyaml words it, as far as one can be told from the other. A line is named as
 * goyaml names it: never on the first line, counted from one by the scanner and from zero by the parser.
 */
export function libyamlError(text: string, reason: string, mark: Mark | undefined): YamlError {
  const line = mark?.line ?? 0;
  const rule = rules.find(([pattern]) => pattern.test(reason));
  const found = rule?.[1](text, mark) ?? { message: reason, line };
  const where = found.line > 0 ? `line ${found.line}: ` : "";
  return new YamlError(`error converting YAML to JSON: yaml: ${where}${found.message}`, {
    line: line + 1,
    column: (mark?.column ?? 0) + 1,
  });
}

type Wording = (text: string, mark: Mark | undefined) => { message: string; line: number };

const scanner =
  (message: string): Wording =>
  (_text, mark) => {
    const line = mark?.line ?? 0;
    return { message, line: line === 0 ? 0 : line + 1 };
  };
const parser =
  (message: string): Wording =>
  (_text, mark) => ({ message, line: mark?.line ?? 0 });

const rules: readonly (readonly [RegExp, Wording])[] = [
  [/^null byte|non-printable|valid JSON character/, () => ({ message: "control characters are not allowed", line: 0 })],
  [/tab characters must not be used/, scanner("found character that cannot start any token")],
  [/single quoted scalar$/, scanner("found unexpected end of stream")],
  [/double quoted scalar$/, scanner("found unexpected end of stream")],
  [/unknown escape sequence/, scanner("found unknown escape character")],
  [/expected hexadecimal character/, scanner("did not find expected hexdecimal number")],
  [/missed comma|flow collection entries/, parser("did not find expected ',' or '}'")],
  [/end of the stream within a flow/, parser("did not find expected node content")],
  [/bad indentation of a mapping entry|a multiline key/, mappingEntry],
  [/expected ':' after a mapping key/, scanner("could not find expected ':'")],
  [/bad indentation of a sequence entry/, parser("did not find expected '-' indicator")],
  [/expected the node content/, parser("did not find expected node content")],
  [/undeclared tag handle/, parser("found undefined tag handle")],
  [/nesting exceeded/, scanner("exceeded max depth of 10000")],
  [/end of the stream or a document separator is expected/, trailing],
];

/** Where js-yaml sees a badly indented entry, libyaml sees a `:` where none may stand, or a scalar where a key must. */
function mappingEntry(text: string, mark: Mark | undefined): { message: string; line: number } {
  const line = mark?.line ?? 0;
  const rest = text.split("\n")[line] ?? "";
  if (/:(\s|$)/.test(rest)) return scanner("mapping values are not allowed in this context")(text, mark);
  return parser("did not find expected key")(text, mark);
}

function trailing(text: string, mark: Mark | undefined): { message: string; line: number } {
  const rest = text.slice(mark?.position ?? 0);
  if (/^[^\n]*:(\s|$)/.test(rest)) return scanner("mapping values are not allowed in this context")(text, mark);
  return parser("did not find expected <document start>")(text, mark);
}

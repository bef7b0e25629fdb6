import type { FileSystem } from "../files/file-system.js";
import { arithmetic } from "./arithmetic.js";
import { isPattern, matchingPaths, patternOf } from "./glob.js";
import type { ParameterPart, Part, Word } from "./syntax.js";

/** What words refer to. */
export interface ExpansionScope {
  /** Undefined when it is unset. Special parameters included, but for $@ and $*. */
  parameter(name: string): string | undefined;
  readonly positional: readonly string[];
  assign(name: string, value: string): void;
  /** The output of a script, for $(...). */
  output(script: string): Promise<string>;
  readonly files: FileSystem;
  readonly cwd: string;
}

/** A parameter that must be set is not. */
export class UnsetParameterError extends Error {}

/** A piece of a field: text, and whether characters in it may split or match. */
interface Piece {
  readonly text: string;
  readonly quoted: boolean;
  /** Came of an expansion: white space in it splits fields. */
  readonly splits: boolean;
  /** Ends the field: another of "$@" follows. */
  readonly breaks?: boolean;
}

/** Words as fields: expanded, split at white space, and matched against file names. */
export async function expandWords(words: readonly Word[], scope: ExpansionScope): Promise<string[]> {
  const fields: string[] = [];
  for (const word of words) {
    for (const field of split(await piecesOf(word, scope))) {
      const pattern = field.map(({ text, quoted }) => (quoted ? text.replace(/[*?[\\]/g, "\\$&") : text)).join("");
      const paths = isPattern(pattern) ? matchingPaths(scope.files, scope.cwd, pattern) : [];
      if (paths.length > 0) fields.push(...paths);
      else fields.push(field.map(({ text }) => text).join(""));
    }
  }
  return fields;
}

/** A word as one text: of an assignment, or behind a redirection. */
export async function expandWord(word: Word, scope: ExpansionScope): Promise<string> {
  return (await piecesOf(word, scope)).map(({ text, breaks }) => (breaks === true ? `${text} ` : text)).join("");
}

/** A word as a pattern: what is quoted in it matches itself. */
export async function expandPattern(word: Word, scope: ExpansionScope): Promise<string> {
  const pieces = await piecesOf(word, scope);
  return pieces.map(({ text, quoted }) => (quoted ? text.replace(/[*?[\\]/g, "\\$&") : text)).join("");
}

async function piecesOf(word: Word, scope: ExpansionScope): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for (const [index, part] of word.entries()) pieces.push(...(await expandPart(part, index === 0, word, scope)));
  return pieces;
}

async function expandPart(part: Part, first: boolean, word: Word, scope: ExpansionScope): Promise<Piece[]> {
  const { quoted } = part;
  const expanded = (text: string): Piece[] => [{ text, quoted, splits: !quoted }];
  switch (part.kind) {
    case "text": {
      const home = first && !quoted && /^~(?=\/|$)/.test(part.text) && (part.text !== "~" || word.length === 1);
      const text = home ? part.text.replace("~", scope.parameter("HOME") ?? "/root") : part.text;
      return [{ text, quoted, splits: false }];
    }
    case "command":
      return expanded((await scope.output(part.script)).replace(/\n+$/, ""));
    case "arithmetic":
      return expanded(
        String(arithmetic(await expandWord(part.expression, scope), (name) => scope.parameter(name) ?? "0")),
      );
    case "parameter":
      if (part.name === "@" || part.name === "*") return positionalPieces(part, scope);
      return expanded(await parameterValue(part, scope));
  }
}

function positionalPieces({ name, quoted }: ParameterPart, { positional }: ExpansionScope): Piece[] {
  if (name === "*" && quoted) return [{ text: positional.join(" "), quoted, splits: false }];
  return positional.map((text, index) => ({ text, quoted, splits: !quoted, breaks: index < positional.length - 1 }));
}

async function parameterValue({ name, operator, word = [] }: ParameterPart, scope: ExpansionScope): Promise<string> {
  const value = scope.parameter(name);
  const given = operator?.startsWith(":") === true ? value !== undefined && value !== "" : value !== undefined;
  switch (operator?.replace(":", "")) {
    case undefined:
      return value ?? "";
    case "length":
      return String(Array.from(value ?? "").length);
    case "-":
      return given ? (value ?? "") : expandWord(word, scope);
    case "+":
      return given ? expandWord(word, scope) : "";
    case "=": {
      if (given) return value ?? "";
      const assigned = await expandWord(word, scope);
      scope.assign(name, assigned);
      return assigned;
    }
    case "?":
      if (given) return value ?? "";
      throw new UnsetParameterError(`${name}: ${(await expandWord(word, scope)) || "parameter not set"}`);
    default:
      return withoutMatch(value ?? "", operator ?? "", await expandPattern(word, scope));
  }
}

/** ${name%pattern} and its kin: the value without the shortest or longest match at its end or beginning. */
function withoutMatch(value: string, operator: string, pattern: string): string {
  const matches = patternOf(pattern);
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length);
  if (operator.length === 2) lengths.reverse();
  for (const length of lengths) {
    if (operator.startsWith("#") && matches.test(value.slice(0, length))) return value.slice(length);
    if (operator.startsWith("%") && matches.test(value.slice(value.length - length)))
      return value.slice(0, value.length - length);
  }
  return value;
}

/** Cuts pieces into fields at the white space of expansions. A word that expands to nothing is no field, but "" is one. */
function split(pieces: readonly Piece[]): Piece[][] {
  const fields: Piece[][] = [];
  let field: Piece[] | undefined;
  const end = (): void => {
    if (field !== undefined) fields.push(field);
    field = undefined;
  };
  for (const piece of pieces) {
    if (!piece.splits) {
      if (piece.text !== "" || piece.quoted) field = [...(field ?? []), piece];
    } else {
      for (const text of piece.text.split(/([ \t\n]+)/)) {
        if (/^[ \t\n]+$/.test(text)) end();
        else if (text !== "") field = [...(field ?? []), { ...piece, text }];
      }
    }
    if (piece.breaks === true) end();
  }
  end();
  return fields;
}

import { Pace } from "../../../base/pace.js";
import { atOnce, type Steps } from "../../../base/steps.js";
import { withoutTrailing } from "../../../base/without-trailing.js";
import type { FileSystem } from "../files/file-system.js";
import { arithmetic, integerText } from "./arithmetic.js";
import { Glob, isLiteral, LONGEST_PATTERN, type PatternPiece } from "./glob.js";
import { LARGEST_VALUE, outOfSpace } from "./growing-value.js";
import { matchingPaths } from "./pathnames.js";
import type { ParameterPart, Part, Word } from "./syntax.js";

/** What words refer to. */
export interface ExpansionScope {
  /** Undefined when it is unset. Special parameters included, but for $@ and $*. */
  parameter(name: string): string | undefined;
  readonly positional: readonly string[];
  assign(name: string, value: string): void;
  /** The output of a script, for $(...). */
  output(script: string): Promise<string>;
  /** Counts bytes that expansions hold until their command has ended. */
  take(bytes: number): void;
  readonly files: FileSystem;
  readonly cwd: string;
  /** Does long work in slices of the event loop. */
  inSlices<T>(work: Steps<T>): Promise<T>;
}

/** A parameter that must be set is not. */
export class UnsetParameterError extends Error {}

/** A piece of a field: text, and whether characters in it may split or match. */
interface Piece extends PatternPiece {
  /** Came of an expansion: white space in it splits fields. */
  readonly splits: boolean;
  /** Ends the field: another of "$@" follows. */
  readonly breaks?: boolean;
}

/** What a field or a piece takes beside its text, in bytes. */
const FIELD_BYTES = 512;
/** So many pieces are worked on in slices. */
const MANY = 256;
/** Work of so many steps is done at once. */
const SHORT = 4096;

/** Words as fields: expanded, split at white space, and matched against file names. */
export async function expandWords(words: readonly Word[], scope: ExpansionScope): Promise<string[]> {
  const fields: string[] = [];
  for (const word of words) {
    const plain = plainText(word);
    if (plain !== undefined) {
      scope.take(FIELD_BYTES + plain.length);
      fields.push(plain);
      continue;
    }
    const pieces = await piecesOf(word, scope);
    const length = lengthOf(pieces);
    // A short pattern may match any number of paths.
    const isShort = pieces.length < MANY && isLiteral(pieces);
    const work = fieldsOf(pieces, scope, fields);
    if (isShort && length <= SHORT) atOnce(work);
    else await scope.inSlices(work);
  }
  return fields;
}

/** A word as one text: of an assignment, or behind a redirection. */
export async function expandWord(word: Word, scope: ExpansionScope): Promise<string> {
  const plain = plainText(word);
  if (plain !== undefined) return plain;
  return joined(await piecesOf(word, scope));
}

/** The text of a word that expands to nothing else. */
function plainText(word: Word): string | undefined {
  const [only] = word;
  if (word.length !== 1 || only?.kind !== "text") return undefined;
  return only.quoted || (!only.text.startsWith("~") && isLiteral([only])) ? only.text : undefined;
}

/** A word as a pattern: what is quoted in it matches itself. */
export async function expandPattern(word: Word, scope: ExpansionScope): Promise<readonly PatternPiece[]> {
  const [only] = word;
  if (word.length === 1 && only?.kind === "text" && !only.text.startsWith("~")) return [only];
  const pieces = await piecesOf(word, scope);
  lengthOf(pieces);
  return pieces;
}

/** Whether the whole text matches the pattern. */
export async function matchesPattern(
  pattern: readonly PatternPiece[],
  text: string,
  scope: ExpansionScope,
): Promise<boolean> {
  if (isLiteral(pattern)) return joined(pattern) === text;
  return worked(globOf(pattern).matches(text), text.length * lengthOf(pattern), scope);
}

/** The text of pieces. Throws where it is longer than a value may be. */
function joined(pieces: readonly (PatternPiece & { readonly breaks?: boolean })[]): string {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined && only.breaks !== true) return only.text;
  lengthOf(pieces);
  let whole = "";
  for (const { text, breaks } of pieces) whole += breaks === true ? `${text} ` : text;
  return whole;
}

/** How long pieces are together. Throws where that is more than a shell holds as one value. */
function lengthOf(pieces: readonly PatternPiece[]): number {
  let length = 0;
  for (const { text } of pieces) length += text.length + 1;
  if (length > LARGEST_VALUE + pieces.length) throw outOfSpace();
  return length;
}

function globOf(pattern: readonly PatternPiece[]): Glob {
  if (lengthOf(pattern) > LONGEST_PATTERN) throw outOfSpace();
  return Glob.of(pattern);
}

/** Long work goes in slices of the event loop. */
async function worked<T>(work: Steps<T>, steps: number, scope: ExpansionScope): Promise<T> {
  return steps <= SHORT ? atOnce(work) : scope.inSlices(work);
}

async function piecesOf(word: Word, scope: ExpansionScope): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for (const [index, part] of word.entries()) {
    for (const piece of await expandPart(part, index === 0, word, scope)) pieces.push(piece);
  }
  return pieces;
}

async function expandPart(part: Part, first: boolean, word: Word, scope: ExpansionScope): Promise<readonly Piece[]> {
  const { quoted } = part;
  const expanded = (text: string): readonly Piece[] => {
    scope.take(FIELD_BYTES + text.length);
    return [{ text, quoted, splits: !quoted }];
  };
  switch (part.kind) {
    case "text": {
      const home = first && !quoted && /^~(?=\/|$)/.test(part.text) && (part.text !== "~" || word.length === 1);
      const text = home ? part.text.replace("~", () => scope.parameter("HOME") ?? "/root") : part.text;
      return [{ text, quoted, splits: false }];
    }
    case "command":
      return expanded(withoutTrailing(await scope.output(part.script), "\n"));
    case "arithmetic": {
      const expression = await expandWord(part.expression, scope);
      const value = arithmetic(expression, (name) => scope.parameter(name) ?? "0");
      return expanded(integerText(await worked(value, expression.length, scope)));
    }
    case "parameter":
      if (part.name === "@" || part.name === "*")
        return worked(positionalPieces(part, scope), scope.positional.length, scope);
      return expanded(await parameterValue(part, scope));
  }
}

function* positionalPieces({ name, quoted }: ParameterPart, scope: ExpansionScope): Steps<readonly Piece[]> {
  const { positional } = scope;
  const pace = new Pace();
  const pieces: Piece[] = [];
  for (const [index, text] of positional.entries()) {
    if (pace.isDue()) yield;
    scope.take(FIELD_BYTES + text.length);
    pieces.push({ text, quoted, splits: !quoted, breaks: index < positional.length - 1 });
  }
  return name === "*" && quoted ? [{ text: joined(pieces), quoted, splits: false }] : pieces;
}

async function parameterValue({ name, operator, word = [] }: ParameterPart, scope: ExpansionScope): Promise<string> {
  const value = scope.parameter(name);
  const given = operator?.startsWith(":") === true ? value !== undefined && value !== "" : value !== undefined;
  switch (operator?.replace(":", "")) {
    case undefined:
      return value ?? "";
    case "length":
      return String(await worked(characters(value ?? ""), value?.length ?? 0, scope));
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
      return withoutMatch(value ?? "", operator ?? "", await expandPattern(word, scope), scope);
  }
}

function* characters(text: string): Steps<number> {
  const pace = new Pace();
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) {
    if (pace.isDue()) yield;
    // A character of two units counts once.
    if (isFirstOfTwo(text.charCodeAt(index)) && isSecondOfTwo(text.charCodeAt(index + 1))) count -= 1;
  }
  return count;
}

const isFirstOfTwo = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isSecondOfTwo = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** ${name%pattern} and its kin: the value without the shortest or longest match at its end or beginning. */
async function withoutMatch(
  value: string,
  operator: string,
  pattern: readonly PatternPiece[],
  scope: ExpansionScope,
): Promise<string> {
  const fromEnd = operator.startsWith("%");
  if (isLiteral(pattern)) {
    const text = joined(pattern);
    if (fromEnd) return value.endsWith(text) ? value.slice(0, value.length - text.length) : value;
    return value.startsWith(text) ? value.slice(text.length) : value;
  }
  const edge = globOf(pattern).edge(value, { longest: operator.length === 2, fromEnd });
  const length = await worked(edge, value.length * lengthOf(pattern), scope);
  if (length === undefined) return value;
  return fromEnd ? value.slice(0, value.length - length) : value.slice(length);
}

/** Cuts pieces into fields at the white space of expansions. A word that expands to nothing is no field, but "" is one. */
function* fieldsOf(pieces: readonly Piece[], scope: ExpansionScope, fields: string[]): Steps<void> {
  const pace = new Pace();
  let field: PatternPiece[] = [];
  for (const piece of pieces) {
    const { text, quoted } = piece;
    if (!piece.splits) {
      if (text !== "" || quoted) field.push(piece);
    } else {
      for (let at = 0; at < text.length; ) {
        if (pace.isDue()) yield;
        const end = endOfRun(text, at);
        if (end > at) field.push(end - at === text.length ? piece : { text: text.slice(at, end), quoted });
        at = end;
        while (at < text.length && isBlank(text.charCodeAt(at))) {
          at += 1;
          if (pace.isDue()) yield;
        }
        if (at > end) yield* addField(field, scope, fields);
        if (at > end) field = [];
      }
    }
    if (piece.breaks === true) {
      yield* addField(field, scope, fields);
      field = [];
    }
  }
  yield* addField(field, scope, fields);
}

const BLANK = /[ \t\n]/g;
const isBlank = (code: number): boolean => code === 32 || code === 9 || code === 10;

function endOfRun(text: string, from: number): number {
  BLANK.lastIndex = from;
  return BLANK.exec(text)?.index ?? text.length;
}

function* addField(field: readonly PatternPiece[], scope: ExpansionScope, fields: string[]): Steps<void> {
  if (field.length === 0) return;
  const [only] = field;
  const text = field.length === 1 && only !== undefined ? only.text : field.map((piece) => piece.text).join("");
  scope.take(FIELD_BYTES + text.length);
  // No path is as long as the longest pattern.
  const mayMatch = text.length <= LONGEST_PATTERN && !isLiteral(field);
  const paths = mayMatch ? yield* matchingPaths(scope.files, scope.cwd, field, (bytes) => scope.take(bytes)) : [];
  if (paths.length === 0) fields.push(text);
  else for (const path of paths) fields.push(path);
}

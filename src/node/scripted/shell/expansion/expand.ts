import { atOnce } from "../../../../base/async/steps.js";
import { withoutTrailing } from "../../../../base/text/without-trailing.js";
import { arithmetic } from "./arithmetic.js";
import { expanded, type ExpansionScope, globOf, joined, lengthOf, SHORT, worked } from "./expansion.js";
import { FIELD_BYTES, fieldsOf, type Piece } from "./fields.js";
import { isLiteral, type PatternPiece } from "./glob.js";
import { parameterPieces, type WordExpansions } from "./parameters.js";
import type { Part, Word } from "../parse/syntax.js";

/** So many pieces are worked on in slices. */
const MANY = 256;
/** Expands words to fields: splits them at separators, and matches them against file names. */
export async function expandWords(words: readonly Word[], scope: ExpansionScope): Promise<string[]> {
  const fields: string[] = [];
  for (const word of words) {
    const plain = plainText(word);
    if (plain !== undefined) {
      // Of braces: {a,}
      if (plain === "" && !(word[0]?.quoted ?? false)) continue;
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

/** Expands a word to one text, for an assignment or a redirection. */
export async function expandWord(word: Word, scope: ExpansionScope): Promise<string> {
  const plain = plainText(word);
  if (plain !== undefined) return plain;
  return joined(await piecesOf(word, scope));
}

/** The text of a word that expands to nothing else. */
function plainText(word: Word): string | undefined {
  const [only] = word;
  if (word.length === 0) return "";
  if (word.length !== 1 || only?.kind !== "text") return undefined;
  return only.quoted || (!only.text.startsWith("~") && isLiteral([only])) ? only.text : undefined;
}

/** Expands a word as a pattern, in which quoted text matches itself. */
export async function expandPattern(word: Word, scope: ExpansionScope): Promise<readonly PatternPiece[]> {
  const [only] = word;
  if (word.length === 1 && only?.kind === "text" && !only.text.startsWith("~")) return [only];
  const pieces = await piecesOf(word, scope);
  lengthOf(pieces);
  return pieces;
}

/** Evaluates an arithmetic expression. */
export async function expandArithmetic(expression: Word, scope: ExpansionScope): Promise<bigint> {
  const text = await expandWord(expression, scope);
  return worked(arithmetic(text, scope.numbers), text.length, scope);
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

/** The pieces of a word's parts. */
async function piecesOf(word: Word, scope: ExpansionScope): Promise<readonly Piece[]> {
  const pieces: Piece[] = [];
  let hasNone = false;
  for (const [index, part] of word.entries()) {
    const ofPart = await expandPart(part, index === 0, word, scope);
    // "$@" of no parameters is no field, although "" is one.
    hasNone ||= part.kind === "parameter" && part.quoted && ofPart.length === 0;
    for (const piece of ofPart) pieces.push(piece);
  }
  return hasNone && pieces.every(({ text }) => text === "") ? [] : pieces;
}

async function expandPart(part: Part, first: boolean, word: Word, scope: ExpansionScope): Promise<readonly Piece[]> {
  const { quoted } = part;
  switch (part.kind) {
    case "text": {
      const home = first && !quoted && /^~(?=\/|$)/.test(part.text) && (part.text !== "~" || word.length === 1);
      const text = home ? part.text.replace("~", () => scope.parameter("HOME") ?? "/root") : part.text;
      return [{ text, quoted, splits: false }];
    }
    case "command":
      return [expanded(withoutTrailing(await scope.output(part.body), "\n"), quoted, scope)];
    case "process":
      return [{ text: scope.processPath(part), quoted, splits: false }];
    case "arithmetic":
      return [expanded(String(await expandArithmetic(part.expression, scope)), quoted, scope)];
    case "parameter":
      return parameterPieces(part, scope, EXPANSIONS);
  }
}

/** Expands the key of an element: the text itself in an associative array, else a number, which counts from the end where it is negative. */
export async function expandKey(name: string, index: Word, scope: ExpansionScope): Promise<string> {
  const array = scope.array(name);
  if (array?.isAssociative === true) return expandWord(index, scope);
  const number = Number(await expandArithmetic(index, scope));
  return String(number < 0 ? (array?.last ?? -1) + 1 + number : number);
}

/** How the words in the braces of a parameter are expanded. */
const EXPANSIONS: WordExpansions = {
  word: expandWord,
  pattern: expandPattern,
  pieces: piecesOf,
  arithmetic: expandArithmetic,
  key: expandKey,
};

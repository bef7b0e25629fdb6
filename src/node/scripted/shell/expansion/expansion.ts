import { Pace } from "../../../../base/time/pace.js";
import { atOnce, type Steps } from "../../../../base/async/steps.js";
import type { FileSystem } from "../../files/file-system.js";
import type { ArithmeticVariables } from "./arithmetic.js";
import { FIELD_BYTES, type Piece, type Separators } from "./fields.js";
import { Glob, LONGEST_PATTERN, type PatternPiece } from "./glob.js";
import { LARGEST_VALUE, outOfSpace } from "./growing-value.js";
import type { Command, ProcessPart } from "../parse/syntax.js";
import type { ShellArray } from "../variables.js";

/** The variables and functions that the expansion of words uses. */
export interface ExpansionScope {
  /** Undefined when it is unset. Special parameters included, but for $@ and $*. */
  parameter(name: string): string | undefined;
  array(name: string): ShellArray | undefined;
  /** The names of the variables that begin so. */
  namesFrom(prefix: string): readonly string[];
  readonly positional: readonly string[];
  /** $0. */
  readonly name: string;
  assign(name: string, value: string): void;
  assignElement(name: string, key: string, value: string): void;
  /** The variables as arithmetic sees them. */
  readonly numbers: ArithmeticVariables;
  /** The output of commands, for $(...). */
  output(body: Command): Promise<string>;
  /** Starts the commands of <(...) or >(...), and gives the path that leads to them until the command ends which it is a word of. */
  processPath(part: ProcessPart): string;
  /** Counts bytes that expansions hold until their command has ended. */
  take(bytes: number): void;
  readonly files: FileSystem;
  readonly cwd: string;
  readonly separators: Separators;
  /** False with set -f. */
  readonly matchesPaths: boolean;
  /** A pattern that matches nothing is no field (nullglob). */
  readonly dropsUnmatched: boolean;
  /** True with set -u. */
  readonly refusesUnset: boolean;
  /** Does long work in slices of the event loop. */
  inSlices<T>(work: Steps<T>): Promise<T>;
}

/** The number of steps up to which work is done at once. */
export const SHORT = 4096;

/** Joins pieces into one text. Throws where it exceeds the limit of a value. */
export function joined(pieces: readonly (PatternPiece & { readonly breaks?: boolean })[], between = " "): string {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined && only.breaks !== true) return only.text;
  lengthOf(pieces);
  let whole = "";
  for (const { text, breaks } of pieces) whole += breaks === true ? `${text}${between}` : text;
  return whole;
}

/** The total length of pieces. Throws where it exceeds the limit of a value. */
export function lengthOf(pieces: readonly PatternPiece[]): number {
  let length = 0;
  for (const { text } of pieces) length += text.length + 1;
  if (length > LARGEST_VALUE + pieces.length) throw outOfSpace();
  return length;
}

export function globOf(pattern: readonly PatternPiece[]): Glob {
  if (lengthOf(pattern) > LONGEST_PATTERN) throw outOfSpace();
  return Glob.of(pattern);
}

/** Runs work: at once if it is short, else in slices of the event loop. */
export async function worked<T>(work: Steps<T>, steps: number, scope: ExpansionScope): Promise<T> {
  return steps <= SHORT ? atOnce(work) : scope.inSlices(work);
}

/** Makes the piece of an expansion's result. */
export function expanded(text: string, quoted: boolean, scope: ExpansionScope): Piece {
  scope.take(FIELD_BYTES + text.length);
  return { text, quoted, splits: !quoted };
}

/** Makes the pieces of several values; quoted values become one field each. */
export function* listPieces(
  values: readonly string[],
  quoted: boolean,
  scope: ExpansionScope,
): Steps<readonly Piece[]> {
  const pace = new Pace();
  const pieces: Piece[] = [];
  for (const [index, text] of values.entries()) {
    if (pace.isDue()) yield;
    pieces.push({ ...expanded(text, quoted, scope), breaks: index < values.length - 1 });
  }
  return pieces;
}

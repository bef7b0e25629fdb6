import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";
import { type FileSystem, absolute } from "../../files/file-system.js";
import { isLiteral, LONGEST_PATTERN, type PatternPiece, Glob } from "./glob.js";
import { sortSteps } from "../../../../base/async/sort-steps.js";

/** A piece of a field: a text, and whether its characters may split fields or match files. */
export interface Piece extends PatternPiece {
  /** Came of an expansion: separators in it split fields. */
  readonly splits: boolean;
  /** Ends the field: another of "$@" follows. */
  readonly breaks?: boolean;
}

/** The bytes of memory that a field or a piece takes in addition to its text. */
export const FIELD_BYTES = 512;

const LONGEST_IFS = 64;
const isWhite = (code: number): boolean => code === 32 || code === 9 || code === 10;

/** The separators in IFS. A run of its white space counts as one separator. */
export class Separators {
  static readonly usual = new Separators(" \t\n");
  readonly #any: RegExp;
  readonly #white: ReadonlySet<number>;
  readonly #others: ReadonlySet<number>;

  private constructor(readonly characters: string) {
    this.#any = characters === "" ? /(?!)/g : new RegExp(`[${characters.replace(/[\\\]^-]/g, "\\$&")}]`, "g");
    const codes = Array.from(characters, (char) => char.charCodeAt(0));
    this.#white = new Set(codes.filter(isWhite));
    this.#others = new Set(codes.filter((code) => !isWhite(code)));
  }

  /** Of the value of IFS; undefined where it is unset. */
  static of(value: string | undefined): Separators {
    if (value === undefined || value === Separators.usual.characters) return Separators.usual;
    return new Separators(value.slice(0, LONGEST_IFS));
  }

  /** What stands between the values of "$*". */
  get joining(): string {
    return this.characters.slice(0, 1);
  }

  isWhite(code: number): boolean {
    return this.#white.has(code);
  }

  /** A separator that ends a field even where that is empty. */
  isHard(code: number): boolean {
    return this.#others.has(code);
  }

  /** Where the next separator is, from a place on; the text's length where none is. */
  next(text: string, from: number): number {
    this.#any.lastIndex = from;
    return this.#any.exec(text)?.index ?? text.length;
  }
}

/** Where fields are cut and matched. */
interface FieldScope {
  take(bytes: number): void;
  readonly files: FileSystem;
  readonly cwd: string;
  readonly separators: Separators;
  /** False with set -f. */
  readonly matchesPaths: boolean;
  /** A pattern that matches nothing is no field (nullglob). */
  readonly dropsUnmatched: boolean;
}

/** Splits pieces into fields at the separators within expansions. A word that expands to nothing is no field; "" is one. */
export function* fieldsOf(pieces: readonly Piece[], scope: FieldScope, fields: string[]): Steps<void> {
  const pace = new Pace();
  const { separators } = scope;
  let field: PatternPiece[] = [];
  for (const piece of pieces) {
    const { text, quoted } = piece;
    if (!piece.splits) {
      if (text !== "" || quoted) field.push(piece);
    } else {
      for (let at = 0; at < text.length; ) {
        if (pace.isDue()) yield;
        const end = separators.next(text, at);
        if (end > at) field.push(end - at === text.length ? piece : { text: text.slice(at, end), quoted });
        at = end;
        let isHard = false;
        for (; at < text.length; at += 1) {
          const code = text.charCodeAt(at);
          if (!separators.isWhite(code) && (isHard || !separators.isHard(code))) break;
          isHard ||= separators.isHard(code);
          if (pace.isDue()) yield;
        }
        if (at === end) continue;
        if (isHard && field.length === 0) fields.push("");
        yield* addField(field, scope, fields);
        field = [];
      }
    }
    if (piece.breaks === true) {
      yield* addField(field, scope, fields);
      field = [];
    }
  }
  yield* addField(field, scope, fields);
}

function* addField(field: readonly PatternPiece[], scope: FieldScope, fields: string[]): Steps<void> {
  if (field.length === 0) return;
  const [only] = field;
  const text = field.length === 1 && only !== undefined ? only.text : field.map((piece) => piece.text).join("");
  scope.take(FIELD_BYTES + text.length);
  // No path is as long as the longest pattern.
  const mayMatch = scope.matchesPaths && text.length <= LONGEST_PATTERN && !isLiteral(field);
  const paths = mayMatch ? yield* matchingPaths(scope.files, scope.cwd, field, (bytes) => scope.take(bytes)) : [];
  if (paths.length === 0 && !(mayMatch && scope.dropsUnmatched)) fields.push(text);
  else for (const path of paths) fields.push(path);
}

/** What is looked at for one name costs about as much as so many steps of other walks. */
const LOOKS_PER_STEP = 32;
/** What a path holds beside its characters. */
const PATH_BYTES = 64;

/**
 * The paths that match, sorted; none where nothing does. Names with a dot match only a dot. `take` counts the bytes of what is found: a
 * link to a folder above it leads to any number of paths.
 */
function* matchingPaths(
  files: FileSystem,
  cwd: string,
  pattern: readonly PatternPiece[],
  take: (bytes: number) => void,
): Steps<readonly string[]> {
  const globs = Glob.ofPath(pattern);
  // A bracket that nothing closes means itself: the name of a program.
  if (globs.every(({ text }) => text !== undefined)) return [];
  const pace = new Pace(LOOKS_PER_STEP);
  let found = [globs.length > 1 && globs[0]?.text === "" ? "/" : ""];
  for (const glob of globs.filter(({ text }) => text !== "")) {
    const next: string[] = [];
    const add = (path: string): void => {
      take(path.length + PATH_BYTES);
      next.push(path);
    };
    for (const folder of found) {
      if (pace.isDue()) yield;
      const name = glob.text;
      if (name !== undefined) {
        if (files.look(absolute(cwd, `${folder}${name}`)) !== undefined) add(`${folder}${name}/`);
        continue;
      }
      const node = files.look(absolute(cwd, folder === "" ? "." : folder));
      if (node?.kind !== "directory") continue;
      const names: string[] = [];
      for (const one of node.entries.keys()) {
        if (pace.isDue()) yield;
        if ((glob.beginsWithDot || !one.startsWith(".")) && (yield* glob.matches(one))) names.push(one);
      }
      for (const one of yield* sortSteps(names, (a, b) => (a < b ? -1 : 1))) add(`${folder}${one}/`);
    }
    found = next;
  }
  return found.map((path) => path.slice(0, -1)).filter((path) => path !== "");
}

import { Lru } from "../../../../base/collections/lru.js";
import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";

/** A piece of a pattern: quoted text matches itself. */
export interface PatternPiece {
  readonly text: string;
  readonly quoted: boolean;
}

/** Elements that are no character's code. Sets are numbered from SETS downwards. */
const ANY = -1;
const STAR = -2;
const SETS = -3;
const codeOf = (char: string): number => char.charCodeAt(0);
const [BACKSLASH, OPEN, CLOSE, DASH] = [codeOf("\\"), codeOf("["), codeOf("]"), codeOf("-")];
const [CARET, BANG, COLON, SLASH] = [codeOf("^"), codeOf("!"), codeOf(":"), codeOf("/")];

interface CharacterSet {
  readonly isNegated: boolean;
  /** First and last codes, by turns, sorted and apart from each other. */
  readonly bounds: readonly number[];
}

/** The ASCII characters of [:alpha:] and its kin, as bounds. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ["alnum", "09AZaz"],
  ["alpha", "AZaz"],
  ["blank", "\t\t  "],
  ["cntrl", "\0\x1f\x7f\x7f"],
  ["digit", "09"],
  ["graph", "!~"],
  ["lower", "az"],
  ["print", " ~"],
  ["punct", "!/:@[`{~"],
  ["space", "\t\r  "],
  ["upper", "AZ"],
  ["xdigit", "09AFaf"],
]);
const LONGEST_CLASS = "xdigit".length;

/** A part that is no longer is compared at once. */
const SHORT_PART = 64;
/** Patterns of scripts come again and again: so many that are no longer than this are kept. */
const LONGEST_KEPT = 64;
const MOST_KEPT = 256;
const kept = new Lru<string, Glob>(MOST_KEPT);

/** The longest pattern, in UTF-16 units. */
export const LONGEST_PATTERN = 64 * 1024;

/** Whether a piece may have a character that matches others. */
const SPECIAL = /[*?[\\]/;

/** Whether the pieces have no special characters of patterns: they match only their own text. */
export const isLiteral = (pieces: readonly PatternPiece[]): boolean =>
  pieces.every(({ text, quoted }) => quoted || !SPECIAL.test(text));

/**
 * A pattern of the shell: *, ?, [a-z], [!a], [[:digit:]], and a backslash before what means itself.
 *
 * Only * matches texts of different lengths. So the parts between the stars are found one after the other, each at its first place
 * behind the one before: no place is looked at again, and a match takes at most as many steps as the text is long, times the longest
 * part. Steps yield, so that requests have their turn however long that is.
 */
export class Glob {
  /** The parts between the stars; one where there is no star. */
  readonly #parts: readonly (readonly number[])[];
  readonly #sets: readonly CharacterSet[];

  private constructor(elements: readonly number[], sets: readonly CharacterSet[]) {
    this.#parts = splitAt(elements, STAR);
    this.#sets = sets;
  }

  static of(pieces: readonly PatternPiece[]): Glob {
    const [only] = pieces;
    const key =
      pieces.length === 1 && only?.quoted === false && only.text.length <= LONGEST_KEPT ? only.text : undefined;
    const known = key === undefined ? undefined : kept.get(key);
    if (known !== undefined) return known;
    const { elements, sets } = elementsOf(pieces);
    const glob = new Glob(elements, sets);
    if (key !== undefined) kept.set(key, glob);
    return glob;
  }

  /** The patterns of a path's names. */
  static ofPath(pieces: readonly PatternPiece[]): readonly Glob[] {
    const { elements, sets } = elementsOf(pieces);
    return splitAt(elements, SLASH).map((name) => new Glob(name, sets));
  }

  /** The text that the pattern alone matches; undefined where it matches several. */
  get text(): string | undefined {
    const [only = []] = this.#parts;
    if (this.#parts.length > 1 || only.some((element) => element < 0)) return undefined;
    let text = "";
    for (const code of only) text += String.fromCharCode(code);
    return text;
  }

  /** Whether its first element is a dot. */
  get beginsWithDot(): boolean {
    return this.#parts[0]?.[0] === codeOf(".");
  }

  /** Whether the whole text matches. */
  *matches(text: string): Steps<boolean> {
    const view = new Direction(text, false);
    const pace = new Pace();
    const [first = [], ...others] = this.#parts;
    const last = others.pop();
    if (last === undefined) return text.length === first.length && (yield* this.#isAt(view, 0, first, pace));
    const end = text.length - last.length;
    const from = yield* this.#behind(view, [first, ...others], pace);
    return from !== undefined && from <= end && (yield* this.#isAt(view, end, last, pace));
  }

  /**
   * The length of the shortest or longest beginning of the text that matches, with `fromEnd` of its end; undefined where none does.
   */
  *edge(
    text: string,
    { longest, fromEnd }: { readonly longest: boolean; readonly fromEnd: boolean },
  ): Steps<number | undefined> {
    const view = new Direction(text, fromEnd);
    const pace = new Pace();
    const parts = fromEnd ? this.#parts.map((part) => part.toReversed()).reverse() : this.#parts;
    const last = parts.at(-1) ?? [];
    if (parts.length === 1) return (yield* this.#isAt(view, 0, last, pace)) ? last.length : undefined;
    const from = yield* this.#behind(view, parts.slice(0, -1), pace);
    if (from === undefined) return undefined;
    const place = longest
      ? yield* this.#lastPlace(view, from, last, pace)
      : yield* this.#firstPlace(view, from, last, pace);
    return place === undefined ? undefined : place + last.length;
  }

  /** The end of the last of these parts, the first of which is at the beginning and each other one at its first place. */
  *#behind(view: Direction, [first = [], ...others]: readonly (readonly number[])[], pace: Pace) {
    if (first.length > 0 && !(yield* this.#isAt(view, 0, first, pace))) return undefined;
    let end = first.length;
    for (const part of others) {
      const place: number | undefined = yield* this.#firstPlace(view, end, part, pace);
      if (place === undefined) return undefined;
      end = place + part.length;
    }
    return end;
  }

  *#firstPlace(view: Direction, from: number, part: readonly number[], pace: Pace): Steps<number | undefined> {
    const isShort = part.length <= SHORT_PART;
    for (let place = from; place + part.length <= view.length; place += 1) {
      if (isShort && pace.isDue()) yield;
      if (isShort ? this.#isAtOnce(view, place, part) : yield* this.#isAt(view, place, part, pace)) return place;
    }
    return undefined;
  }

  *#lastPlace(view: Direction, from: number, part: readonly number[], pace: Pace): Steps<number | undefined> {
    const isShort = part.length <= SHORT_PART;
    for (let place = view.length - part.length; place >= from; place -= 1) {
      if (isShort && pace.isDue()) yield;
      if (isShort ? this.#isAtOnce(view, place, part) : yield* this.#isAt(view, place, part, pace)) return place;
    }
    return undefined;
  }

  *#isAt(view: Direction, place: number, part: readonly number[], pace: Pace): Steps<boolean> {
    if (place + part.length > view.length) return false;
    if (pace.isDue()) yield;
    for (let index = 0; index < part.length; index += 1) {
      if (!this.#matchesOne(part[index] ?? 0, view.codeAt(place + index))) return false;
      if (pace.isDue()) yield;
    }
    return true;
  }

  #isAtOnce(view: Direction, place: number, part: readonly number[]): boolean {
    for (let index = 0; index < part.length; index += 1)
      if (!this.#matchesOne(part[index] ?? 0, view.codeAt(place + index))) return false;
    return true;
  }

  #matchesOne(element: number, code: number): boolean {
    if (element >= 0) return element === code;
    if (element === ANY) return true;
    const set = this.#sets[SETS - element];
    return set !== undefined && has(set.bounds, code) !== set.isNegated;
  }
}

/** A text from its beginning, or from its end. */
class Direction {
  readonly length: number;

  constructor(
    private readonly text: string,
    private readonly fromEnd: boolean,
  ) {
    this.length = text.length;
  }

  codeAt(index: number): number {
    return this.text.charCodeAt(this.fromEnd ? this.length - 1 - index : index);
  }
}

function elementsOf(pieces: readonly PatternPiece[]): { elements: number[]; sets: CharacterSet[] } {
  const codes: number[] = [];
  const quoted: boolean[] = [];
  for (const piece of pieces) {
    for (let index = 0; index < piece.text.length; index += 1) {
      const code = piece.text.charCodeAt(index);
      const isEscape = !piece.quoted && code === BACKSLASH && index + 1 < piece.text.length;
      if (isEscape) index += 1;
      codes.push(isEscape ? piece.text.charCodeAt(index) : code);
      quoted.push(piece.quoted || isEscape);
    }
  }
  const elements: number[] = [];
  const sets: CharacterSet[] = [];
  // Where one set is not closed, none behind it is.
  let mayClose = true;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (quoted[index] === true) elements.push(code);
    else if (code === codeOf("*")) elements.push(STAR);
    else if (code === codeOf("?")) elements.push(ANY);
    else if (code !== OPEN || !mayClose) elements.push(code);
    else {
      const found = setAt(codes, quoted, index + 1);
      mayClose = found !== undefined;
      if (found === undefined) elements.push(code);
      else {
        elements.push(SETS - sets.length);
        sets.push(found.set);
        index = found.end;
      }
    }
  }
  return { elements, sets };
}

/** The set whose bracket is before `start`, and where its closing bracket is; undefined where none closes it. */
function setAt(
  codes: readonly number[],
  quoted: readonly boolean[],
  start: number,
): { readonly set: CharacterSet; readonly end: number } | undefined {
  const isPlain = (index: number, code: number | undefined): boolean => codes[index] === code && quoted[index] !== true;
  const isNegated = isPlain(start, BANG) || isPlain(start, CARET);
  const ranges: [number, number][] = [];
  const first = isNegated ? start + 1 : start;
  for (let index = first; index < codes.length; index += 1) {
    if (index > first && isPlain(index, CLOSE)) return { set: { isNegated, bounds: boundsOf(ranges) }, end: index };
    const named = isPlain(index, OPEN) && isPlain(index + 1, COLON) ? classAt(codes, index + 2) : undefined;
    if (named !== undefined) {
      ranges.push(...named.ranges);
      index = named.end;
    } else if (isPlain(index + 1, DASH) && index + 2 < codes.length && !isPlain(index + 2, CLOSE)) {
      ranges.push([codes[index] ?? 0, codes[index + 2] ?? 0]);
      index += 2;
    } else ranges.push([codes[index] ?? 0, codes[index] ?? 0]);
  }
  return undefined;
}

/** The class whose name begins at `start`: "digit:]". */
function classAt(
  codes: readonly number[],
  start: number,
): { readonly ranges: readonly [number, number][]; readonly end: number } | undefined {
  let name = "";
  let end = start;
  for (; end < codes.length && codes[end] !== COLON && name.length < LONGEST_CLASS; end += 1)
    name += String.fromCharCode(codes[end] ?? 0);
  const bounds = codes[end] === COLON && codes[end + 1] === CLOSE ? CLASSES.get(name) : undefined;
  if (bounds === undefined) return undefined;
  const ranges: [number, number][] = [];
  for (let index = 0; index < bounds.length; index += 2)
    ranges.push([bounds.charCodeAt(index), bounds.charCodeAt(index + 1)]);
  return { ranges, end: end + 1 };
}

/** Ranges that run backwards match nothing. */
function boundsOf(ranges: readonly [number, number][]): readonly number[] {
  const bounds: number[] = [];
  for (const [from, to] of ranges.filter(([low, high]) => low <= high).sort(([a], [b]) => a - b)) {
    const before = bounds.at(-1) ?? -2;
    if (from > before + 1) bounds.push(from, to);
    else bounds[bounds.length - 1] = Math.max(before, to);
  }
  return bounds;
}

/** Whether one of the ranges has the code. */
function has(bounds: readonly number[], code: number): boolean {
  let [low, high] = [0, bounds.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle * 2 + 1] ?? 0) < code) low = middle + 1;
    else high = middle;
  }
  return low < bounds.length / 2 && (bounds[low * 2] ?? 0) <= code;
}

function splitAt(elements: readonly number[], separator: number): readonly (readonly number[])[] {
  const parts: number[][] = [[]];
  for (const element of elements) {
    if (element === separator) parts.push([]);
    else parts.at(-1)?.push(element);
  }
  return parts;
}

import { RE2JS } from "re2js";
import { spendSteps } from "../values/meter.js";

/** A pattern that RE2 does not accept; the message is Go's. */
export class PatternError extends Error {}

/** The largest program of a pattern, in instructions: one compiles in less than 50 ms. Go's limit is far higher. */
const LARGEST = 10_000;

/** A counted repetition of as much as this makes a program whose states may be many. */
const MANY = 8;

/** A regular expression of RE2. Matching takes time in proportion to the text; it spends steps for it. */
export class Pattern {
  readonly #compiled: RE2JS;
  readonly #stepsPerCharacter: number;

  /** Throws {@link PatternError}. */
  constructor(source: string) {
    const { size, counted } = measure(source);
    if (size > LARGEST) throw new PatternError(`error parsing regexp: expression too large`);
    spendSteps(200 + 20 * size);
    try {
      this.#compiled = RE2JS.compile(source);
    } catch (error) {
      throw new PatternError(error instanceof Error ? error.message : String(error));
    }
    // Where a long repetition may begin at every character, each character is compared with all of the program.
    this.#stepsPerCharacter = counted && !source.startsWith("^") ? size : (16 + size) / 64;
  }

  /** Whether the pattern is found anywhere in the text. */
  test(text: string): boolean {
    spendSteps(1 + text.length * this.#stepsPerCharacter);
    return this.#compiled.test(text);
  }

  /** The first `limit` matches in the text, as Go finds them: an empty one right behind another match does not count. */
  findAll(text: string, limit = Number.POSITIVE_INFINITY): string[] {
    const matcher = this.#compiled.matcher(text);
    const found: string[] = [];
    let previousEnd = -1;
    for (let position = 0; found.length < limit && position <= text.length; ) {
      // Finding where a match is takes about eight times as long as finding out that there is one.
      spendSteps(1 + (text.length - position) * this.#stepsPerCharacter * 8);
      if (!matcher.find(position)) break;
      const [start, end] = [matcher.start(), matcher.end()];
      if (start < end || start !== previousEnd) found.push(text.slice(start, end));
      previousEnd = end;
      position = end > position ? end : position + ((text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1);
    }
    return found;
  }
}

/** An upper bound of a pattern's instructions, found without parsing it: what a counted repetition repeats is multiplied. */
function measure(source: string): { readonly size: number; readonly counted: boolean } {
  const groups: number[] = [];
  let [size, last, counted] = [0, 0, false];
  for (const [token] of source.matchAll(TOKENS)) {
    const repeat = /^\{(\d+)(?:,(\d*))?\}$/.exec(token);
    if (repeat !== null) {
      const times = Math.max(Number(repeat[1]), Number(repeat[2] ?? 0));
      size += last * Math.max(times - 1, 0);
      last *= Math.max(times, 1);
      counted ||= times >= MANY;
    } else if (token === "(") {
      groups.push(size);
      last = 0;
    } else if (token === ")") {
      last = size - (groups.pop() ?? 0);
    } else {
      // A class of Unicode is some hundred ranges.
      last = /^\\[pP]/.test(token) ? 8 : 1;
      size += last;
    }
  }
  return { size, counted };
}

const TOKENS = /\\[pP]\{[^}]*\}|\\[^]|\[(?:\\[^]|\[:\w+:\]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[^]/gu;

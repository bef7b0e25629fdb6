import { RE2JS } from "re2js";
import { errorMessage } from "../../../base/text/error-message.js";
import { spendSteps } from "../values/meter.js";

/** Thrown for a pattern that RE2 does not accept; the message is Go's. */
export class PatternError extends Error {}

/** The largest program of a pattern, in instructions: one compiles in less than 50 ms. Go's limit is far higher. */
const LARGEST = 10_000;

/** A counted repetition of as much as this makes a program whose states may be many. */
const MANY = 8;

/** A regular expression of RE2. Matching takes time in proportion to the text; it spends steps for it. */
export class Pattern {
  readonly #compiled: RE2JS;
  readonly #stepsPerCharacter: number;
  readonly #looksAhead: boolean;

  /** Throws {@link PatternError}. */
  constructor(source: string) {
    const { size, counted, looksAhead } = measure(source);
    if (size > LARGEST) throw new PatternError(`error parsing regexp: expression too large`);
    spendSteps(200 + 20 * size);
    try {
      this.#compiled = RE2JS.compile(source);
    } catch (error) {
      throw new PatternError(errorMessage(error));
    }
    this.#looksAhead = looksAhead;
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
    spendSteps(text.length * this.#stepsPerCharacter * FINDING);
    for (let position = 0; found.length < limit && position <= text.length; ) {
      const looked = this.#looksAhead ? text.length - position : 0;
      spendSteps(STEPS_PER_MATCH + looked * this.#stepsPerCharacter * FINDING);
      if (!matcher.find(position)) break;
      const [start, end] = [matcher.start(), matcher.end()];
      if (start < end || start !== previousEnd) found.push(text.slice(start, end));
      previousEnd = end;
      position = end > position ? end : position + ((text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1);
    }
    return found;
  }
}

/** To find where a match is takes so many times as long as to find out that there is one. */
const FINDING = 4;
const STEPS_PER_MATCH = 16;

/** What is known of a pattern without parsing it. */
interface Measures {
  /** An upper bound of its instructions: what a counted repetition repeats is multiplied. */
  readonly size: number;
  /** Whether something is repeated a number of times that makes many states. */
  readonly counted: boolean;
  /**
   * Whether a search may read on far behind the match that it finds, because an alternative that comes first might still match. That
   * takes a choice, and a repetition without an end.
   */
  readonly looksAhead: boolean;
}

function measure(source: string): Measures {
  const groups: number[] = [];
  let [size, last, counted, hasChoice, isEndless, previous] = [0, 0, false, false, false, ""];
  for (const [token] of source.matchAll(TOKENS)) {
    const repeat = /^\{(\d+)(?:(,)(\d*))?\}$/.exec(token);
    const isGroupFlag = token === "?" && previous === "(";
    hasChoice ||= token === "|" || (token === "?" && !isGroupFlag) || (/^[*+]$/.test(token) && previous === ")");
    isEndless ||= /^[*+]$/.test(token);
    previous = token;
    if (repeat !== null) {
      const [, least, comma, most] = repeat;
      const times = Math.max(Number(least), Number(most ?? 0));
      size += last * Math.max(times - 1, 0);
      last *= Math.max(times, 1);
      counted ||= times >= MANY;
      isEndless ||= comma !== undefined && most === "";
      hasChoice ||= comma !== undefined;
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
  return { size, counted, looksAhead: hasChoice && isEndless };
}

/** A set that does not end takes the rest, so that the rest is not searched for each bracket in it; RE2 refuses it. */
const TOKENS = /\\[pP]\{[^}\\]*\}|\\[^]|\[(?:\\[^]|\[:\w+:\]|[^\]\\])*\]?|\{\d+(?:,\d*)?\}|[^]/gu;

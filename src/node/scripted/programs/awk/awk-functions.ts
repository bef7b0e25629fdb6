import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";
import { LongText } from "../latin-text.js";
import type { Match, PosixRegexp } from "../posix-regexp.js";

export interface Replacing {
  /** Which match is replaced; undefined: each. */
  readonly number: number | undefined;
  /** \1 stands for a group, as gensub() has it. */
  readonly groups: boolean;
}

/** Replaces matches as sub(), gsub() and gensub() do. */
export function* replaceMatches(
  text: string,
  pattern: PosixRegexp,
  replacement: string,
  { number, groups }: Replacing,
): Steps<{ readonly text: string; readonly count: number }> {
  const pace = new Pace();
  const isPlain = !/[\\&]/.test(replacement);
  const result = new LongText();
  let at = 0;
  let count = 0;
  let seen = 0;
  for (let match = pattern.exec(text); match !== undefined; ) {
    const [start = 0, end = 0] = match;
    result.add(text.slice(at, start));
    seen += 1;
    if (number === undefined || seen === number) {
      result.add(isPlain ? replacement : replaced(replacement, text, match, groups));
      count += 1;
    } else result.add(text.slice(start, end));
    at = end;
    if (seen === number) break;
    // No empty match is right behind another one.
    let next = end > start ? pattern.exec(text, end) : undefined;
    if (end === start || (next?.[0] === end && next[1] === end)) {
      if (end >= text.length) break;
      result.add(text[end] ?? "");
      at = end + 1;
      next = pattern.exec(text, at);
    }
    match = next;
    if (pace.isDue()) yield;
  }
  if (count === 0) return { text, count };
  result.add(text.slice(at));
  return { text: result.toString(), count };
}

function replaced(replacement: string, text: string, match: Match, groups: boolean): string {
  return replacement.replace(/\\([\\&0-9])|&/g, (whole, escaped: string | undefined) => {
    const group = escaped === undefined ? 0 : groups && /\d/.test(escaped) ? Number(escaped) : undefined;
    if (group === undefined) return escaped !== undefined && /\d/.test(escaped) ? whole : (escaped ?? "");
    const start = match[2 * group] ?? -1;
    return start < 0 ? "" : text.slice(start, match[2 * group + 1]);
  });
}

/** Makes the generator of rand()'s numbers, which are the same for the same seed. */
export function awkRandom() {
  let seed = 0;
  let state = 1;
  return {
    next(): number {
      // Steps of a linear congruential generator, as POSIX's drand48() has them.
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const high = state >>> 5;
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return (high * 67_108_864 + (state >>> 6)) / 9_007_199_254_740_992;
    },
    /** Answers the seed before. */
    seed(next: number): number {
      const before = seed;
      seed = next;
      state = Math.trunc(next) >>> 0;
      return before;
    },
  };
}

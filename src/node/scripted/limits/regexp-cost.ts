/** The number of instructions that a pattern may compile to; a longer one would take too long to compile. */
export const MOST_INSTRUCTIONS = 4096;
/** The number of steps that matching a pattern with a text may take, because a match cannot be sliced. */
export const MOST_STEPS = 256 * 1024;
/** A class of Unicode's costs as much as so many characters of a pattern. */
const CLASS_INSTRUCTIONS = 32;

/** An upper bound of the instructions that a pattern in RE2's syntax compiles to. */
export function instructionsOf(pattern: string): number {
  const repeats = (before: RegExp): number[] =>
    [...pattern.matchAll(before)].map(([, least = "", most = ""]) => Math.max(Number(least), Number(most), 1));
  const ofGroups = repeats(/\)\{(\d+)(?:,(\d*))?/g).reduce((product, one) => product * one, 1);
  const others = Math.max(1, ...repeats(/\{(\d+)(?:,(\d*))?/g));
  const classes = (pattern.match(/\\[pP]/g) ?? []).length;
  return (pattern.length + classes * CLASS_INSTRUCTIONS) * ofGroups * others;
}

/** A pattern may become so many instructions at most: a longer one takes too long to compile. */
export const MOST_INSTRUCTIONS = 4096;
/** A pattern and a text may need so many steps: a match is not found in slices of the event loop. */
export const MOST_STEPS = 256 * 1024;
/** A class of Unicode's costs as much as so many characters of a pattern. */
const CLASS_INSTRUCTIONS = 32;

/** At most so many instructions come of a pattern in RE2's syntax. */
export function instructionsOf(pattern: string): number {
  const repeats = (before: RegExp): number[] =>
    [...pattern.matchAll(before)].map(([, least = "", most = ""]) => Math.max(Number(least), Number(most), 1));
  const ofGroups = repeats(/\)\{(\d+)(?:,(\d*))?/g).reduce((product, one) => product * one, 1);
  const others = Math.max(1, ...repeats(/\{(\d+)(?:,(\d*))?/g));
  const classes = (pattern.match(/\\[pP]/g) ?? []).length;
  return (pattern.length + classes * CLASS_INSTRUCTIONS) * ofGroups * others;
}

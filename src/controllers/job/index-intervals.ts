/** Indexes from `first` to `last`, both included. */
export interface Interval {
  readonly first: number;
  readonly last: number;
}

/** Indexes in ascending order, in the form of a job's status: consecutive ones form one interval. */
export type Intervals = readonly Interval[];

/** Parses "1,3-5,7". It skips invalid parts, and indexes from `completions` on. */
export function parseIntervals(text: string, completions: number): Intervals {
  const found: Interval[] = [];
  for (const part of text === "" ? [] : text.split(",")) {
    const limits = part.split("-").map(toIndex);
    const [first, last] = limits.length === 1 ? [limits[0], limits[0]] : limits;
    if (first === undefined || last === undefined || last < first) continue;
    if (first >= completions) break;
    found.push({ first, last: Math.min(last, completions - 1) });
  }
  return mergeIntervals(found, []);
}

/** Writes "1,3-5,7": three and more neighbours with a hyphen. */
export function formatIntervals(intervals: Intervals): string {
  return intervals
    .map(({ first, last }) => (first === last ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`))
    .join(",");
}

/** Makes intervals of single indexes in any order. */
export function intervalsOf(indexes: Iterable<number>): Intervals {
  const sorted = [...indexes].sort((a, b) => a - b);
  return mergeIntervals(
    sorted.map((index) => ({ first: index, last: index })),
    [],
  );
}

/** The indexes of both. */
export function mergeIntervals(one: Intervals, other: Intervals): Intervals {
  const merged: { first: number; last: number }[] = [];
  for (const { first, last } of [...one, ...other].sort((a, b) => a.first - b.first)) {
    const before = merged.at(-1);
    if (before === undefined || first > before.last + 1) merged.push({ first, last });
    else before.last = Math.max(before.last, last);
  }
  return merged;
}

/** The number of indexes in the intervals. */
export function countIndexes(intervals: Intervals): number {
  return intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

export function hasIndex(intervals: Intervals, index: number): boolean {
  return intervals.some(({ first, last }) => first <= index && index <= last);
}

/** The number of indexes that both lists contain. */
export function countShared(one: Intervals, other: Intervals): number {
  let [shared, left, right] = [0, 0, 0];
  for (;;) {
    const [a, b] = [one[left], other[right]];
    if (a === undefined || b === undefined) return shared;
    shared += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
    if (a.last < b.last) left += 1;
    else right += 1;
  }
}

/** The lowest `count` indexes below `completions` that are not among `taken`. */
export function firstFreeIndexes(taken: Intervals, count: number, completions: number): number[] {
  const free: number[] = [];
  let next = 0;
  for (const { first, last } of [...taken, { first: completions, last: completions }]) {
    for (; next < Math.min(first, completions) && free.length < count; next++) free.push(next);
    next = Math.max(next, last + 1);
  }
  return free;
}

const toIndex = (text: string): number | undefined => (/^\d+$/.test(text) ? Number(text) : undefined);

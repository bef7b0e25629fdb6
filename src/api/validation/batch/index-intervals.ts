import { goQuote } from "../../../base/text/go-quote.js";
import { atoi } from "../../../machinery/text/go/atoi.js";

/** Indexes of an indexed job as its fields write them: "1,3-5,7". */
type Interval = readonly [first: number, last: number];

/** Counts the indexes of a list of intervals; returns the error's text where it cannot be parsed. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === "") return 0;
  let total = 0;
  let previous: number | undefined;
  for (const part of text.split(",")) {
    const interval = parseInterval(part, completions);
    if (typeof interval === "string") return interval;
    const [first, last] = interval;
    if (previous !== undefined && previous >= first) {
      return `non-increasing order, previous: ${previous}, current: ${first}`;
    }
    total += last - first + 1;
    previous = last;
  }
  return total;
}

function parseInterval(text: string, completions: number): Interval | string {
  const limits = text.split("-");
  if (limits.length > 2) {
    return `the fragment ${goQuote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    const value = atoi(limit);
    if (typeof value === "string") return `cannot convert string to integer for index: ${goQuote(limit)}`;
    if (value >= completions) return `too large index: ${goQuote(limit)}`;
    numbers.push(value);
  }
  const [first = 0, last = first] = numbers;
  if (limits.length === 2 && first >= last) return `non-increasing order, previous: ${first}, current: ${last}`;
  return [first, last];
}

/** The first index that both lists contain; intervals that cannot be parsed are skipped. Undefined when the lists share none. */
export function firstSharedIndex(one: string, other: string, completions: number): number | undefined {
  const [left, right] = [one, other].map((indexes) => intervals(indexes, completions)) as [Interval[], Interval[]];
  let [l, r] = [0, 0];
  for (;;) {
    const [a, b] = [left[l], right[r]];
    if (a === undefined || b === undefined) return undefined;
    if (a[0] <= b[1] && b[0] <= a[1]) return Math.max(a[0], b[0]);
    if (a[0] <= b[0]) l += 1;
    else r += 1;
  }
}

function intervals(text: string, completions: number): Interval[] {
  if (text === "") return [];
  return text
    .split(",")
    .map((part) => parseInterval(part, completions))
    .filter((interval) => typeof interval !== "string");
}

import { goQuote } from "../../base/go-quote.js";
import { atoi } from "./go-numbers.js";

/** Indexes of an indexed job as its fields write them: "1,3-5,7". */
type Interval = readonly [first: number, last: number];

/** How many indexes there are, or what is wrong. */
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

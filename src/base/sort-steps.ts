import { Pace } from "./pace.js";
import type { Steps } from "./steps.js";

/** Items that are sorted at once. */
const RUN = 512;

/** A sorted copy, in steps. Equal items keep their order. */
export function* sortSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort(compare));
    yield;
  }
  const pace = new Pace();
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* mergeSteps(runs[at] ?? [], runs[at + 1] ?? [], compare, pace));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeSteps<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
  pace: Pace,
): Steps<T[]> {
  const merged: T[] = [];
  for (let l = 0, r = 0; l < left.length || r < right.length; ) {
    const fromLeft = r >= right.length || (l < left.length && compare(left[l] as T, right[r] as T) <= 0);
    merged.push((fromLeft ? left[l++] : right[r++]) as T);
    if (pace.isDue()) yield;
  }
  return merged;
}

import { compareKeys } from "../collections/key-order.js";
import { Pace } from "../time/pace.js";
import type { Steps } from "./steps.js";

/** Items that are sorted at once. */
const RUN = 512;

/** A sorted copy, in steps. Equal items keep their order. */
export function sortSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  return sortRunsSteps(items, compare, RUN, compare);
}

/** `ofRuns` sorts runs; undefined is the order of their texts. */
function* sortRunsSteps<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  length: number,
  ofRuns: ((a: T, b: T) => number) | undefined,
): Steps<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += length) {
    runs.push(items.slice(at, at + length).sort(ofRuns));
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

/** Code units of which JavaScript's order is not that of the bytes. */
const NOT_IN_BYTE_ORDER = /[\ud800-\uffff]/;

/** The keys in the order of their bytes, in steps. The same list where they are in it. */
export function* sortKeysSteps(keys: readonly string[]): Steps<readonly string[]> {
  const pace = new Pace(PER_STEP);
  let isPlain = true;
  let inOrder = true;
  let previous = "";
  for (const key of keys) {
    if (pace.isDue()) yield;
    isPlain &&= !NOT_IN_BYTE_ORDER.test(key);
    inOrder &&= isPlain ? previous <= key : compareKeys(previous, key) <= 0;
    previous = key;
  }
  if (inOrder) return keys;
  return isPlain ? yield* sortRunsSteps(keys, compareText, LONG_RUN, undefined) : yield* sortSteps(keys, compareKeys);
}

/** Keys that native code sorts within a few milliseconds. */
const LONG_RUN = 4096;

const PER_STEP = 2048;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

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

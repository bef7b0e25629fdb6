import type { Steps } from "./steps.js";
import { soon, turnNumber, turnsAreDriven } from "./turns.js";

/** How long all long work together may hold the event loop before others get their turn. */
const SLICE_MILLISECONDS = 4;
/** How many steps long work may do in a driven turn. */
const SLICE_STEPS = 1000;

const waiting: (() => void)[] = [];
/** When this turn's long work began; undefined while there is none. */
let began: number | undefined;
let scheduled = false;
/** The steps of the driven turn that `countedTurn` names. */
let steps = 0;
let countedTurn = 0;

/**
 * True when long work has held the event loop long enough: then await {@link nextSlice}. All callers share the
 * one slice of a turn of the event loop, so that many at once are no worse than one. Where turns are driven, the slice is a number
 * of steps: the order of work never depends on how fast the machine is.
 */
export function sliceIsSpent(): boolean {
  if (turnsAreDriven()) return stepsAreSpent();
  const now = performance.now();
  began ??= now;
  schedule();
  return now - began > SLICE_MILLISECONDS;
}

/** Resolves in a later turn of the event loop: a turn for one of those who wait, in the order they came. */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    if (turnsAreDriven()) return soon(resolve);
    waiting.push(resolve);
    schedule();
  });
}

/** Does work that yields where others may have their turn, or that waits; answers what it returns. */
export async function inSlices<T>(work: Steps<T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (step.value !== undefined) await step.value;
    if (sliceIsSpent()) await nextSlice();
  }
}

function stepsAreSpent(): boolean {
  if (countedTurn !== turnNumber()) {
    countedTurn = turnNumber();
    steps = 0;
  }
  steps += 1;
  return steps > SLICE_STEPS;
}

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  setImmediate(nextTurn);
}

function nextTurn(): void {
  scheduled = false;
  const resume = waiting.shift();
  began = resume === undefined ? undefined : performance.now();
  if (resume === undefined) return;
  resume();
  schedule();
}

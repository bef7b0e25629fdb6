import type { Steps } from "./steps.js";

/** How long all long work together may hold the event loop before others get their turn. */
const SLICE_MILLISECONDS = 4;

const waiting: (() => void)[] = [];
/** When this turn's long work began; undefined while there is none. */
let began: number | undefined;
let scheduled = false;

/**
 * True when long work has held the event loop long enough: then await {@link nextSlice}. Everybody who asks shares the
 * one slice of a turn of the event loop, so that many at once are no worse than one.
 */
export function sliceIsSpent(): boolean {
  const now = performance.now();
  began ??= now;
  schedule();
  return now - began > SLICE_MILLISECONDS;
}

/** Resolves in a later turn of the event loop: a turn for one of those who wait, in the order they came. */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
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

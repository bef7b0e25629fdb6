import type { Steps } from "../../base/async/steps.js";
import { nextSlice, sliceIsSpent } from "../../base/async/time-slice.js";

/** Whose work it is, and when it is over. */
export interface SliceOwner {
  readonly signal: AbortSignal;
  readonly container: object;
}

/** Gives requests and other containers their turn where this turn's slice is spent. Throws once the program is over. */
export async function giveWay({ signal, container }: SliceOwner): Promise<void> {
  await nextSlice(undefined, container);
  signal.throwIfAborted();
}

/** Does long work of a program in slices; throws once the program is over. */
export async function workInSlices<T>(work: Steps<T>, owner: SliceOwner): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (sliceIsSpent()) await giveWay(owner);
  }
}

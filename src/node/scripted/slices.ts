import type { Steps } from "../../base/async/steps.js";
import { nextSlice, sliceIsSpent } from "../../base/async/time-slice.js";

/** The program whose work is sliced; its signal aborts when the program ends. */
export interface SliceOwner {
  readonly signal: AbortSignal;
  readonly container: object;
}

/** Lets requests and other containers run when this slice of the event loop is used up. Throws once the program has ended. */
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

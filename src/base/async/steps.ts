/**
 * Work that yields wherever it may pause: `inSlices` (time-slice.ts) gives other work its turn there. Work that yields a promise
 * goes on when that has settled (waitFor in wait-for.ts).
 */
export type Steps<T> = Generator<Promise<void> | undefined, T>;

/** Does the work without pausing. Work that has to wait for something throws. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

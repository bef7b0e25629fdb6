/** Work that yields wherever it may pause: `inSlices` (time-slice.ts) gives other work its turn there. */
export type Steps<T> = Generator<void, T>;

/** Does the work without pausing. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

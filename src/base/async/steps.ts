/**
 * Work that yields wherever it may pause. `inSlices` (time-slice.ts) lets other work run there. Work that yields a promise continues when
 * that has settled (waitFor in wait-for.ts).
 */
export type Steps<T> = Generator<Promise<void> | undefined, T>;

/** Does the work without pausing. Throws for work that has to wait for a promise. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

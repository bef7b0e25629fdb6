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

/** Returns the value, or yields the promise and returns what it resolved to. Throws what it rejects with. */
export function* waitFor<T>(value: T | Promise<T>): Steps<T> {
  if (!(value instanceof Promise)) return value;
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  yield value.then(
    (resolved) => {
      outcome = { value: resolved };
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  if (outcome === undefined) throw new Error("the work has to wait for a promise and cannot be done at once");
  if ("error" in outcome) throw outcome.error;
  return outcome.value;
}

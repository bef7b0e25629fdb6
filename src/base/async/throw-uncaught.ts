/** Throws outside of every caller, so that Node reports an uncaught exception. For errors of a callback whose caller must continue. */
export function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

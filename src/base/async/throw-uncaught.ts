/**
 * Throws where no caller can catch it: Node reports it as an uncaught exception. For what a callback throws when the caller of
 * that callback must go on.
 */
export function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

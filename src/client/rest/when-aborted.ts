const acts = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` once the signal aborts, at once if it has; answers how to take that back. The requests of a program share one listener of
 * a signal: Node warns of more than ten, and each costs it more than all else that a request's end needs.
 */
export function whenAborted(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) {
    act();
    return () => undefined;
  }
  let waiting = acts.get(signal);
  if (waiting === undefined) {
    const all = new Set<() => void>();
    waiting = all;
    acts.set(signal, all);
    signal.addEventListener("abort", () => [...all].forEach((one) => one()), { once: true });
  }
  // Two requests may be given the same function.
  const own = (): void => act();
  waiting.add(own);
  return () => void waiting.delete(own);
}

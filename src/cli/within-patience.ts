/** A hint that takes longer than TICKS * TICK milliseconds comes too late to be read. */
const TICK = 100;
const TICKS = 20;

/**
 * Returns the result of the work; undefined when it fails, when it takes longer than a user should wait for a hint, or once the
 * signal aborts. Time is counted in ticks of the event loop, so that time in which the process had no processor does not count.
 */
export async function withinPatience<T>(
  signal: AbortSignal,
  work: () => Promise<T | undefined>,
): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  return new Promise((resolve) => {
    let left = TICKS;
    const end = (value: T | undefined): void => {
      clearInterval(timer);
      signal.removeEventListener("abort", giveUp);
      resolve(value);
    };
    const giveUp = (): void => end(undefined);
    const timer = setInterval(() => {
      left -= 1;
      if (left === 0) giveUp();
    }, TICK);
    signal.addEventListener("abort", giveUp, { once: true });
    work().then(end, giveUp);
  });
}

/** The longest interval that Node's timers take. */
const LONGEST = 2 ** 31 - 1;
const nothing = (): void => {};

/**
 * Resolves as the promise does, and keeps the process alive until then. Timers of this project do not: a process whose main
 * function only waits for one would end.
 */
export async function holdProcess<T>(promise: Promise<T>): Promise<T> {
  const timer = setInterval(nothing, LONGEST);
  try {
    return await promise;
  } finally {
    clearInterval(timer);
  }
}

const INTERVAL_MS = 500;

/**
 * A signal that aborts when the process that started this one has ended, and with `signal`. A test program that is killed cannot
 * stop the servers it started, and they must not outlive it.
 */
export function untilParentEnds(signal: AbortSignal, parentOf = (): number => process.ppid): AbortSignal {
  const ended = new AbortController();
  const parent = parentOf();
  const look = setInterval(() => {
    if (parentOf() !== parent) ended.abort(new Error("the process that started this one has ended"));
  }, INTERVAL_MS);
  look.unref();
  const either = AbortSignal.any([signal, ended.signal]);
  either.addEventListener("abort", () => clearInterval(look), { once: true });
  return either;
}

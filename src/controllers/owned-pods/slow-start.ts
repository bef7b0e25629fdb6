/**
 * Calls `work` `count` times, in batches that double from 1 while all calls of a batch succeed, so that what fails for all fails
 * once. `work` gets the number of its call, from 0. Answers how many succeeded and the first error.
 */
export async function slowStart(
  count: number,
  work: (index: number) => Promise<void>,
): Promise<{ readonly succeeded: number; readonly error?: unknown }> {
  let begun = 0;
  for (let batch = 1; begun < count; batch = Math.min(2 * batch, count - begun)) {
    const first = begun;
    begun += batch;
    const results = await Promise.allSettled(Array.from({ length: batch }, (_, index) => work(first + index)));
    const failed = results.filter((result) => result.status === "rejected");
    if (failed[0] !== undefined) return { succeeded: begun - failed.length, error: failed[0].reason };
  }
  return { succeeded: begun };
}

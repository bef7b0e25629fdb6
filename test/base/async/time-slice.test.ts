import { expect, test } from "vitest";
import type { CancellationToken } from "../../../src/base/async/cancellation.js";
import { nextSlice, sliceIsSpent } from "../../../src/base/async/time-slice.js";

const WORKERS = 10;
const PIECES = 20;
/** Longer than the slice by one piece at most: a piece takes a millisecond and the slice four. */
const PIECES_IN_A_SLICE = 5;

/** A millisecond of work that cannot be interrupted. */
function piece(): void {
  const until = performance.now() + 1;
  while (performance.now() < until);
}

test("several long computations share one time slice in each turn of the event loop, and all make progress", async () => {
  const perTurn: number[] = [0];
  let working = WORKERS;
  const turn = (): void => {
    perTurn.push(0);
    if (working > 0) setImmediate(turn);
  };
  setImmediate(turn);
  const order: number[] = [];
  const workers = Array.from({ length: WORKERS }, async (_, worker) => {
    await nextSlice();
    order.push(worker);
    for (let made = 0; made < PIECES; made++) {
      piece();
      perTurn.push((perTurn.pop() ?? 0) + 1);
      if (sliceIsSpent()) await nextSlice();
    }
    working--;
  });
  await Promise.all(workers);
  expect(perTurn.reduce((sum, made) => sum + made)).toBe(WORKERS * PIECES);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(PIECES_IN_A_SLICE);
  // Nobody had a second slice before everybody had the first.
  expect(order).toEqual(Array.from({ length: WORKERS }, (_, worker) => worker));
});

test("when several requests need the same time, the first ends early, and all make progress", async () => {
  let done = 0;
  const ends: number[] = [];
  const requests = Array.from({ length: WORKERS }, async () => {
    const token: CancellationToken = { isCancelled: false, signal: new AbortController().signal };
    for (let made = 0; made < PIECES; made++) {
      await nextSlice(token);
      done++;
    }
    ends.push(done);
  });
  await Promise.all(requests);
  // In rotation alone the first would end when nearly everything is done.
  expect(ends[0]).toBeLessThanOrEqual(2 * PIECES);
  expect(ends).toHaveLength(WORKERS);
  expect(ends.at(-1)).toBe(WORKERS * PIECES);
});

import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { inParallel } from "../../../src/base/async/in-parallel.js";

test("inParallel() never runs more tasks than its limit at a time, and returns the results in order", async () => {
  let running = 0;
  let most = 0;
  const doubled = await inParallel([5, 4, 3, 2, 1], 2, async (item) => {
    running += 1;
    most = Math.max(most, running);
    for (let turns = 0; turns < item; turns += 1) await turn();
    running -= 1;
    return item * 2;
  });
  expect(doubled).toEqual([10, 8, 6, 4, 2]);
  expect(most).toBe(2);
});

test("inParallel() starts no further task after one has failed", async () => {
  const begun: number[] = [];
  const work = async (item: number): Promise<void> => {
    begun.push(item);
    await turn();
    if (item === 2) throw new Error("no");
  };
  await expect(inParallel([1, 2, 3, 4, 5, 6], 2, work)).rejects.toThrow("no");
  await turn();
  expect(begun.length).toBeLessThanOrEqual(4);
  expect(begun).not.toContain(5);
});

test("inParallel() of an empty list resolves with an empty list", async () => {
  expect(await inParallel([], 3, async () => 1)).toEqual([]);
});

import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { nextSlice, sliceIsSpent } from "../../../src/base/async/time-slice.js";
import { turn, driveTurns, inOrder, outside, quiet, soon, TooManyTurnsError } from "../../../src/base/async/turns.js";

function driven(): string[] {
  onTestFinished(driveTurns());
  return [];
}

test("a driven turn begins when everything has run that the turn before it began", async () => {
  const log = driven();
  soon(() => {
    log.push("a");
    void Promise.resolve().then(async () => {
      for (let step = 1; step <= 50; step++) await Promise.resolve();
      log.push("after a");
    });
  });
  soon(() => log.push("b"));
  await quiet(10);
  expect(log).toEqual(["a", "after a", "b"]);
});

test.each([0, 20])(
  "what follows a module that takes %i ms to load keeps its place in the order",
  async (milliseconds) => {
    const log = driven();
    const load = async () => {
      await inOrder(sleep(milliseconds));
      log.push("loaded");
    };
    soon(() => log.push("before"));
    void load();
    soon(() => log.push("after"));
    await quiet(10);
    expect(log).toEqual(["before", "loaded", "after"]);
  },
);

test("a module that does not load is an error at its place in the order", async () => {
  driven();
  await expect(inOrder(Promise.reject(new Error("no such module")))).rejects.toThrow("no such module");
});

test("the process is not quiet while work is under way outside, and turns go on meanwhile", async () => {
  const log = driven();
  const answer = outside(sleep(20).then(() => log.push("answered")));
  soon(() => log.push("turn"));
  await quiet(10);
  expect(log).toEqual(["turn", "answered"]);
  await answer;
});

test("quiet() rejects when turns do not end", async () => {
  driven();
  let spinning = true;
  const spin = async () => {
    while (spinning) await turn();
  };
  const running = spin();
  await expect(quiet(100)).rejects.toThrow(TooManyTurnsError);
  spinning = false;
  await running;
});

test("slices of driven turns are counted in steps, not in milliseconds", async () => {
  driven();
  const slices: number[] = [];
  for (let step = 0, spent = 0; step < 5000; step++) {
    if (!sliceIsSpent()) continue;
    slices.push(step - spent);
    spent = step;
    await nextSlice();
  }
  // The first step after a turn is one of the next slice.
  expect(slices).toEqual([1000, 1001, 1001, 1001]);
});

test("turns that are not driven are Node's immediates, and promises pass through", async () => {
  const log: string[] = [];
  setImmediate(() => log.push("immediate"));
  soon(() => log.push("soon"));
  await turn();
  expect(log).toEqual(["immediate", "soon"]);
  expect(await inOrder(Promise.resolve(1))).toBe(1);
  expect(await outside(Promise.resolve(2))).toBe(2);
});

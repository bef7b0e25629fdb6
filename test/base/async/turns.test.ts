import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { nextSlice, sliceIsSpent } from "../../../src/base/async/time-slice.js";
import { turn, driveTurns, inOrder, outside, quiet, soon, TooManyTurnsError } from "../../../src/base/async/turns.js";

function driven(): string[] {
  onTestFinished(driveTurns());
  return [];
}

test("with driven time, a callback of the event loop runs only when all work of the callback before it has run", async () => {
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
  "with driven time, code after a module that takes %i ms to load keeps its place in the order",
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

test("with driven time, a module that fails to load is an error at its place in the order", async () => {
  driven();
  await expect(inOrder(Promise.reject(new Error("no such module")))).rejects.toThrow("no such module");
});

test("with driven time, quiet() waits for work outside of the event loop, and other callbacks go on meanwhile", async () => {
  const log = driven();
  const answer = outside(sleep(20).then(() => log.push("answered")));
  soon(() => log.push("turn"));
  await quiet(10);
  expect(log).toEqual(["turn", "answered"]);
  await answer;
});

test("quiet() rejects when callbacks keep starting new ones without an end", async () => {
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

test("with driven time, time slices are counted in steps, not in milliseconds", async () => {
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

test("without driven time, callbacks are Node's immediates and promises are passed on unchanged", async () => {
  const log: string[] = [];
  setImmediate(() => log.push("immediate"));
  soon(() => log.push("soon"));
  await turn();
  expect(log).toEqual(["immediate", "soon"]);
  expect(await inOrder(Promise.resolve(1))).toBe(1);
  expect(await outside(Promise.resolve(2))).toBe(2);
});

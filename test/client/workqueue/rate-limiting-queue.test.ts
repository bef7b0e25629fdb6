import { expect, test } from "vitest";
import { ItemExponentialFailureRateLimiter, RateLimitingQueue } from "../../../src/client/workqueue/index.js";
import { ManualTime } from "../../helpers/manual-time.js";

function manualQueue(baseMilliseconds = 1) {
  const time = new ManualTime();
  const rateLimiter = new ItemExponentialFailureRateLimiter<string>({ baseMilliseconds, maxMilliseconds: 1_000_000 });
  return { time, queue: new RateLimitingQueue<string>({ timers: time, stopwatch: () => time.now(), rateLimiter }) };
}

test("WQ-9: a rate-limited item is added after the wait that the rate limiter chooses", () => {
  const { time, queue } = manualQueue(100);
  queue.addRateLimited("a");
  queue.addRateLimited("b");
  expect([queue.requeues("a"), queue.requeues("b"), queue.length]).toEqual([1, 1, 0]);
  time.pass(99);
  expect(queue.length).toBe(0);
  time.pass(1);
  expect(queue.length).toBe(2);
});

test("WQ-9, WQ-10: the waits grow from one add to the next until the item is forgotten", async () => {
  const { time, queue } = manualQueue();
  const waits: number[] = [];
  for (let round = 0; round < 5; round++) {
    if (round === 3) queue.forget("a");
    queue.addRateLimited("a");
    let waited = 0;
    for (; queue.length === 0; waited++) time.pass(1);
    waits.push(waited);
    queue.done((await queue.get()) ?? "");
  }
  expect(waits).toEqual([1, 2, 4, 1, 2]);
  expect(queue.requeues("a")).toBe(2);
});

test("WQ-10: forgetting an item does not take it out of the queue", async () => {
  const { time, queue } = manualQueue();
  queue.add("a");
  queue.addRateLimited("b");
  queue.forget("a");
  queue.forget("b");
  time.pass(1);
  expect([await queue.get(), await queue.get()]).toEqual(["a", "b"]);
});

test("WQ-15: without a rate limiter a queue has the default of controllers", () => {
  const time = new ManualTime();
  const queue = new RateLimitingQueue<string>({ timers: time, stopwatch: () => time.now() });
  for (let at = 0; at < 101; at++) queue.addRateLimited(`item-${at}`);
  time.pass(4);
  expect(queue.length).toBe(0);
  time.pass(1);
  expect(queue.length).toBe(100);
  time.pass(95);
  expect(queue.length).toBe(101);
});

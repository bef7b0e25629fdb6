import { expect, test } from "vitest";
import { WorkQueue } from "../../../src/client/workqueue/index.js";
import { ManualTime } from "../../helpers/manual-time.js";

function queueOf(...items: string[]): WorkQueue<string> {
  const queue = new WorkQueue<string>();
  for (const item of items) queue.add(item);
  return queue;
}

/** Whether a promise has settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = {};
  await new Promise((resolve) => setImmediate(resolve));
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

test("WQ-1, WQ-5: items are processed in the order of their adds", async () => {
  const queue = queueOf("1", "2", "3");
  expect(queue.length).toBe(3);
  expect([await queue.get(), queue.length, queue.stats().processing]).toEqual(["1", 2, 1]);
  queue.done("1");
  expect(queue.stats().processing).toBe(0);
  expect([await queue.get(), await queue.get(), queue.length]).toEqual(["2", "3", 0]);
});

test("WQ-1: an item that is added several times before its processing is processed once", async () => {
  const queue = queueOf("a", "b", "a", "a");
  expect(queue.length).toBe(2);
  expect([await queue.get(), await queue.get()]).toEqual(["a", "b"]);
  queue.done("a");
  queue.done("b");
  expect(queue.length).toBe(0);
});

test("WQ-6: an item that is added while it is processed is queued once more at the end when that is done", async () => {
  const queue = queueOf("1", "2");
  await queue.get();
  queue.add("1");
  queue.add("1");
  queue.add("3");
  expect([queue.length, queue.stats().depth]).toEqual([2, 3]);
  queue.done("1");
  expect(queue.length).toBe(3);
  expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(["2", "3", "1"]);
});

test("WQ-1: waiting consumers get items in the order in which they began to wait", async () => {
  const queue = new WorkQueue<string>();
  const got = Promise.all([queue.get(), queue.get(), queue.get()]);
  for (const item of ["a", "b", "a", "c"]) queue.add(item);
  expect(await got).toEqual(["a", "b", "c"]);
});

test("ending the processing of an item that is not processed changes nothing", async () => {
  const queue = queueOf("a");
  queue.done("a");
  queue.done("b");
  expect([queue.length, queue.stats().workDuration.count]).toEqual([1, 0]);
});

test("WQ-7: after a shutdown the queue ignores adds, and still hands out the remaining items", async () => {
  const queue = queueOf("a", "b");
  await queue.get();
  queue.add("a");
  queue.shutDown();
  expect(queue.shuttingDown).toBe(true);
  queue.add("c");
  expect(await queue.get()).toBe("b");
  expect(await queue.get()).toBeUndefined();
  // Added before the shutdown, while it was processed.
  queue.done("a");
  expect([await queue.get(), await queue.get()]).toEqual(["a", undefined]);
});

test("WQ-1: a shutdown ends the wait of every consumer", async () => {
  const queue = new WorkQueue<string>();
  const got = Promise.all([queue.get(), queue.get()]);
  queue.shutDown();
  expect(await got).toEqual([undefined, undefined]);
});

test("a shutdown with drain resolves when waiting items and those in processing are done", async () => {
  const queue = queueOf("a", "b");
  await queue.get();
  queue.add("a");
  const drained = queue.shutDownWithDrain();
  queue.add("c");
  queue.done("a");
  expect(await isSettled(drained)).toBe(false);
  for (const item of ["b", "a"]) {
    expect(await queue.get()).toBe(item);
    expect(await isSettled(drained)).toBe(false);
    queue.done(item);
  }
  await drained;
  expect(await queue.get()).toBeUndefined();
});

test("a shutdown with drain of an empty queue resolves at once; a second, plain shutdown ends the wait for one that is not empty", async () => {
  await new WorkQueue<string>().shutDownWithDrain();
  const queue = queueOf("a");
  const drained = queue.shutDownWithDrain();
  expect(await isSettled(drained)).toBe(false);
  queue.shutDown();
  await drained;
});

test("WQ-16: the statistics count adds, and measure the time in the queue, the work and the running items", async () => {
  const time = new ManualTime();
  const queue = new WorkQueue<string>({ stopwatch: () => time.now() });
  for (const item of ["a", "b", "a"]) queue.add(item);
  expect(queue.stats()).toMatchObject({ depth: 2, adds: 2, processing: 0, longestRunning: undefined });
  time.pass(500);
  await queue.get();
  time.pass(1500);
  await queue.get();
  time.pass(1000);
  queue.add("a");
  expect(queue.stats()).toMatchObject({
    depth: 1,
    adds: 3,
    retries: 0,
    delayed: 0,
    processing: 2,
    queueDuration: { count: 2, sumSeconds: 2.5 },
    workDuration: { count: 0, sumSeconds: 0 },
    unfinishedWorkSeconds: 3.5,
    longestRunning: { item: "a", seconds: 2.5 },
  });
  queue.done("a");
  expect(queue.stats()).toMatchObject({
    workDuration: { count: 1, sumSeconds: 2.5 },
    unfinishedWorkSeconds: 1,
    longestRunning: { item: "b", seconds: 1 },
  });
});

test("WQ-16: durations are counted in cumulative buckets, and a snapshot of the statistics does not change later", async () => {
  const time = new ManualTime();
  const queue = new WorkQueue<string>({ stopwatch: () => time.now() });
  for (const [item, milliseconds] of [
    ["a", 0],
    ["b", 10],
    ["c", 11],
    ["d", 2_000_000],
  ] as const) {
    queue.add(item);
    await queue.get();
    time.pass(milliseconds);
    queue.done(item);
  }
  const { workDuration } = queue.stats();
  queue.add("e");
  await queue.get();
  queue.done("e");
  const counts = Object.fromEntries(workDuration.buckets.map((bucket) => [bucket.atMostSeconds, bucket.count]));
  expect(counts).toMatchObject({ 1e-8: 1, 0.001: 1, 0.01: 2, 0.1: 3, 1000: 3 });
  expect(workDuration.count).toBe(4);
});

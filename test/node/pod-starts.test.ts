import { expect, test } from "vitest";
import { ManualClock } from "../../src/base/time/manual-clock.js";
import { deferred } from "../../src/base/async/deferred.js";
import { PodStarts } from "../../src/node/agent/pod-starts.js";
import { ManualTime } from "../helpers/manual-time.js";

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a node starts two pods at a time, the others in order; a failed one makes room too", async () => {
  const starts = new PodStarts(new ManualTime());
  const began: string[] = [];
  const pods = ["a", "b", "c", "d"].map((name) => ({ name, begun: deferred<void>() }));
  const results = pods.map(({ name, begun }) =>
    starts.run(async () => {
      began.push(name);
      await begun.promise;
    }),
  );
  const rejected = expect(results[1]).rejects.toThrow("no such image");
  await settle();
  expect(began).toEqual(["a", "b"]);
  pods[1]?.begun.reject(new Error("no such image"));
  await rejected;
  expect(began).toEqual(["a", "b", "c"]);
  for (const { begun } of pods) begun.resolve();
  await Promise.allSettled(results);
  expect(began).toEqual(["a", "b", "c", "d"]);
});

test("of a burst of pods, most start when no pod has come for 100 ms, in the order of their arrival", async () => {
  const time = new ManualTime();
  const starts = new PodStarts(time);
  const began: number[] = [];
  const run = (pod: number) => starts.run(async () => void began.push(pod));
  const first = Array.from({ length: 64 }, (_, pod) => run(pod));
  await settle();
  expect(began).toHaveLength(20);
  time.pass(99);
  const late = Array.from({ length: 160 }, (_, pod) => run(64 + pod));
  await settle();
  expect(began).toHaveLength(30);
  time.pass(99);
  await settle();
  expect(began).toHaveLength(30);
  time.pass(1);
  await Promise.all([...first, ...late]);
  expect(began).toEqual(Array.from({ length: 224 }, (_, pod) => pod));
  expect(time.pending).toBe(0);
});

test("pods of a small burst start at once", async () => {
  const starts = new PodStarts(new ManualTime());
  const began: number[] = [];
  await Promise.all(Array.from({ length: 16 }, (_, pod) => starts.run(async () => void began.push(pod))));
  expect(began).toHaveLength(16);
});

test("on a manual clock no pod waits for the end of a burst", async () => {
  const starts = new PodStarts(new ManualClock(0));
  const began: number[] = [];
  await Promise.all(Array.from({ length: 200 }, (_, pod) => starts.run(async () => void began.push(pod))));
  expect(began).toHaveLength(200);
});

test("no pod starts before the server is ready", async () => {
  const ready = deferred<void>();
  const starts = new PodStarts(new ManualTime(), ready.promise);
  const began: string[] = [];
  const run = starts.run(async () => void began.push("pod"));
  await settle();
  expect(began).toEqual([]);
  ready.resolve();
  await run;
  expect(began).toEqual(["pod"]);
});

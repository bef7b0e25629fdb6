import { describe, expect, test } from "vitest";
import {
  BucketRateLimiter,
  defaultControllerRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
} from "../../../src/client/workqueue/index.js";
import { ManualTime } from "../../helpers/manual-time.js";

const waits = (limiter: RateLimiter<string>, item: string, tries: number): number[] =>
  Array.from({ length: tries }, () => limiter.when(item));

describe("a bucket rate limiter", () => {
  test("WQ-12: starts full; then each try waits for a token", () => {
    const time = new ManualTime();
    const limiter = new BucketRateLimiter<number>({ perSecond: 10, burst: 100, stopwatch: () => time.now() });
    const all = Array.from({ length: 1000 }, (_, item) => limiter.when(item));
    expect(all.slice(0, 100)).toEqual(Array.from({ length: 100 }, () => 0));
    expect(all.slice(100)).toEqual(Array.from({ length: 900 }, (_, at) => (at + 1) * 100));
  });

  test("WQ-12: refills with time, up to the burst", () => {
    const time = new ManualTime();
    const limiter = new BucketRateLimiter<string>({ perSecond: 10, burst: 2, stopwatch: () => time.now() });
    expect(waits(limiter, "a", 3)).toEqual([0, 0, 100]);
    time.pass(50);
    expect(limiter.when("a")).toBe(150);
    time.pass(150);
    expect(limiter.when("a")).toBe(100);
    time.pass(3_600_000);
    expect(waits(limiter, "a", 3)).toEqual([0, 0, 100]);
  });

  test("WQ-12: tries of an item are not counted, and forgetting it gives no token back", () => {
    const time = new ManualTime();
    const limiter = new BucketRateLimiter<string>({ perSecond: 1, burst: 1, stopwatch: () => time.now() });
    expect(limiter.when("a")).toBe(0);
    expect(limiter.requeues("a")).toBe(0);
    limiter.forget("a");
    expect(limiter.when("a")).toBe(1000);
  });
});

describe("a rate limiter with exponentially growing waits for each item", () => {
  test("WQ-13: the wait of an item doubles, up to the limit", () => {
    const limiter = new ItemExponentialFailureRateLimiter<string>({ baseMilliseconds: 1, maxMilliseconds: 1_000_000 });
    expect(waits(limiter, "a", 10)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
    expect(waits(limiter, "a", 11).slice(-2)).toEqual([524_288, 1_000_000]);
  });

  test("WQ-13: the wait never overflows", () => {
    const limiter = new ItemExponentialFailureRateLimiter<string>({ baseMilliseconds: 5, maxMilliseconds: 1_000_000 });
    expect(waits(limiter, "a", 5000).at(-1)).toBe(1_000_000);
    expect(limiter.requeues("a")).toBe(5000);
  });

  test("WQ-10, WQ-13: counts the failures of each item separately, and from 0 after a forget", () => {
    const limiter = new ItemExponentialFailureRateLimiter<string>({ baseMilliseconds: 1, maxMilliseconds: 1_000_000 });
    waits(limiter, "a", 3);
    expect([limiter.when("b"), limiter.requeues("a"), limiter.requeues("b")]).toEqual([1, 3, 1]);
    limiter.forget("a");
    expect([limiter.requeues("a"), limiter.when("a"), limiter.when("b")]).toEqual([0, 1, 2]);
  });
});

describe("a rate limiter with a few fast tries, then slow ones", () => {
  test("WQ-14: delays an item's first tries briefly, the later ones longer, and from the start after a forget", () => {
    const limiter = new ItemFastSlowRateLimiter<string>({
      fastMilliseconds: 5,
      slowMilliseconds: 10_000,
      maxFastAttempts: 3,
    });
    expect(waits(limiter, "a", 5)).toEqual([5, 5, 5, 10_000, 10_000]);
    expect([limiter.when("b"), limiter.requeues("a")]).toEqual([5, 5]);
    limiter.forget("a");
    expect([limiter.requeues("a"), limiter.when("a")]).toEqual([0, 5]);
  });
});

describe("a rate limiter that combines several", () => {
  test("WQ-15: takes the longest wait and the highest count of all, and forgets an item in all", () => {
    const limiter = new MaxOfRateLimiter<string>([
      new ItemFastSlowRateLimiter({ fastMilliseconds: 5, slowMilliseconds: 3000, maxFastAttempts: 3 }),
      new ItemExponentialFailureRateLimiter({ baseMilliseconds: 1, maxMilliseconds: 1_000_000 }),
    ]);
    expect(waits(limiter, "a", 5)).toEqual([5, 5, 5, 3000, 3000]);
    expect(waits(limiter, "a", 8).at(-1)).toBe(4096);
    expect(limiter.requeues("a")).toBe(13);
    limiter.forget("a");
    expect([limiter.requeues("a"), limiter.when("a")]).toEqual([0, 5]);
  });

  test("WQ-15: by default combines 5 ms to 1000 s for an item with 10 a second after 100 for all", () => {
    const time = new ManualTime();
    const limiter = defaultControllerRateLimiter<string>({ stopwatch: () => time.now() });
    const item = waits(limiter, "a", 20);
    expect([item.slice(0, 4), item.at(-1)]).toEqual([[5, 10, 20, 40], 1_000_000]);
    const others = Array.from({ length: 82 }, (_, at) => limiter.when(`other-${at}`));
    expect([others.at(0), others.at(79), others.at(80), others.at(81)]).toEqual([5, 5, 100, 200]);
  });
});

describe("a rate limiter refuses a wrong option, and names the option and its value:", () => {
  const bucket = { perSecond: 10, burst: 100 };
  const exponential = { baseMilliseconds: 5, maxMilliseconds: 1000 };
  const fastSlow = { fastMilliseconds: 5, slowMilliseconds: 10, maxFastAttempts: 3 };
  test.each([
    ["perSecond of a rate limiter is 0", "above 0", () => new BucketRateLimiter({ ...bucket, perSecond: 0 })],
    ["burst of a rate limiter is Infinity", "above 0", () => new BucketRateLimiter({ ...bucket, burst: Infinity })],
    [
      "baseMilliseconds of a rate limiter is 0",
      "above 0",
      () => new ItemExponentialFailureRateLimiter({ ...exponential, baseMilliseconds: 0 }),
    ],
    [
      "maxMilliseconds of a rate limiter is NaN",
      "above 0",
      () => new ItemExponentialFailureRateLimiter({ ...exponential, maxMilliseconds: Number.NaN }),
    ],
    [
      "slowMilliseconds of a rate limiter is -1",
      "0 or more",
      () => new ItemFastSlowRateLimiter({ ...fastSlow, slowMilliseconds: -1 }),
    ],
  ])("%s; give a number that is %s", (problem, rule, make) => {
    expect(make).toThrow(new RangeError(`${problem}; give a number that is ${rule}`));
  });

  test("a fast-slow rate limiter with 0 fast attempts makes every try slow", () => {
    const limiter = new ItemFastSlowRateLimiter<string>({ ...fastSlow, maxFastAttempts: 0 });
    expect(waits(limiter, "a", 2)).toEqual([10, 10]);
  });
});

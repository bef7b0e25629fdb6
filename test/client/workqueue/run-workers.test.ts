import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { deferred } from "../../../src/base/async/deferred.js";
import {
  ItemExponentialFailureRateLimiter,
  type Outcome,
  RateLimitingQueue,
  runWorkers,
  type RunWorkersOptions,
  type WorkFailure,
} from "../../../src/client/workqueue/index.js";
import { ManualTime } from "../../helpers/manual-time.js";

let time: ManualTime;
let queue: RateLimitingQueue<string>;
let stopping: AbortController;
let failures: WorkFailure<string>[];
let ended: Promise<void>;

beforeEach(() => {
  time = new ManualTime();
  const rateLimiter = new ItemExponentialFailureRateLimiter<string>({ baseMilliseconds: 5, maxMilliseconds: 10_000 });
  queue = new RateLimitingQueue<string>({ timers: time, stopwatch: () => time.now(), rateLimiter });
  stopping = new AbortController();
  failures = [];
});

afterEach(async () => {
  stopping.abort();
  await ended;
});

type Work = RunWorkersOptions<string>["work"];

function run(work: Work, options: Partial<RunWorkersOptions<string>> = {}): void {
  ended = runWorkers(queue, {
    workers: 1,
    signal: stopping.signal,
    work,
    report: (failure) => void failures.push(failure),
    stopwatch: () => time.now(),
    ...options,
  });
}

/** Lets all that is not waiting for time happen: on a busy machine a worker gives way after each item. */
async function idle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
}

/** Passes time in steps, and lets the workers work between them. */
async function pass(milliseconds: number, step = milliseconds): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += step) {
    time.pass(step);
    await idle();
  }
}

describe("workers that process items of a queue", () => {
  test("process as many items at a time as there are workers", async () => {
    let [running, most] = [0, 0];
    const gate = deferred<void>();
    run(
      async () => {
        most = Math.max(most, ++running);
        await gate.promise;
        running--;
      },
      { workers: 3 },
    );
    for (const item of ["a", "b", "c", "d", "e"]) queue.add(item);
    await idle();
    expect([running, queue.length]).toEqual([3, 2]);
    gate.resolve();
    await idle();
    expect([running, most, queue.stats().workDuration.count]).toEqual([0, 3, 5]);
  });

  test("WQ-6: process an item that is added while it is processed once more afterwards, never twice at a time", async () => {
    const gates = [deferred<void>(), deferred<void>()];
    let [begun, running] = [0, 0];
    run(
      async () => {
        expect(++running).toBe(1);
        await gates[begun++]?.promise;
        running--;
      },
      { workers: 5 },
    );
    queue.add("a");
    await idle();
    queue.add("a");
    queue.add("a");
    await idle();
    expect(begun).toBe(1);
    gates[0]?.resolve();
    await idle();
    expect(begun).toBe(2);
    gates[1]?.resolve();
    await idle();
    expect([begun, queue.stats().depth]).toEqual([2, 0]);
  });

  test("go on with other items when one hangs, and the statistics name the item and how long it has run", async () => {
    const gate = deferred<void>();
    const seen: string[] = [];
    run(
      async (item) => {
        if (item === "hangs") await gate.promise;
        seen.push(item);
      },
      { workers: 2 },
    );
    for (const item of ["hangs", "a", "b"]) queue.add(item);
    await idle();
    time.pass(90_000);
    queue.add("c");
    await idle();
    expect(seen).toEqual(["a", "b", "c"]);
    expect(queue.stats()).toMatchObject({ processing: 1, longestRunning: { item: "hangs", seconds: 90 } });
    gate.resolve();
  });

  test("let the event loop run other work between many items that wait for nothing", async () => {
    const ITEMS = 40;
    let [done, turns] = [0, 0];
    const turn = (): void => {
      turns++;
      if (done < ITEMS) setImmediate(turn);
    };
    setImmediate(turn);
    run(
      () => {
        for (const end = performance.now() + 1; performance.now() < end; );
        done++;
      },
      { workers: 4 },
    );
    for (let item = 0; item < ITEMS; item++) queue.add(`item-${item}`);
    while (done < ITEMS) await idle();
    // A slice lasts four milliseconds, each item one.
    expect(turns).toBeGreaterThanOrEqual(ITEMS / 5);
  });
});

describe("the outcome that work returns to a worker", () => {
  test("is done: the item is forgotten; or retry: the item waits longer each time", async () => {
    const outcomes: Outcome[] = ["again", "again", "again", "done", "again"];
    const at: number[] = [];
    const start = time.now();
    run(() => {
      at.push(time.now() - start);
      return outcomes.shift() ?? "done";
    });
    queue.add("a");
    await idle();
    await pass(40, 1);
    expect(at).toEqual([0, 5, 15, 35]);
    queue.add("a");
    await idle();
    await pass(10, 1);
    expect([at.slice(4), queue.requeues("a"), failures]).toEqual([[40, 45], 0, []]);
  });

  test("WQ-8: is a time to reconcile again: the item is queued then, and its retries are reset", async () => {
    const outcomes: Outcome[] = ["again", { afterMilliseconds: 1000 }, { afterMilliseconds: 0 }, "done"];
    let calls = 0;
    run(() => {
      calls++;
      return outcomes.shift() ?? "done";
    });
    queue.add("a");
    await idle();
    await pass(5);
    expect([calls, queue.requeues("a")]).toEqual([2, 0]);
    await pass(999);
    expect(calls).toBe(2);
    await pass(1);
    expect([calls, outcomes]).toEqual([4, []]);
  });

  test.each([5, "later", { afterMilliseconds: "5" }, { requeueAfter: 5 }, null])(
    "%j is reported as a failure that lists the valid ones",
    async (wrong) => {
      const outcomes: unknown[] = [wrong];
      run(() => outcomes.shift() as Outcome);
      queue.add("a");
      await idle();
      await pass(5);
      expect(failures.map(({ error }) => (error as Error).message)).toEqual([
        `work returned ${JSON.stringify(wrong)}; return nothing, "done", "again" or { afterMilliseconds: number }`,
      ]);
      expect(queue.stats()).toMatchObject({ workDuration: { count: 2 }, depth: 0, delayed: 0 });
    },
  );
});

describe("work that fails in a worker", () => {
  test.each([
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken"))],
  ] as const)("and %s is reported with the item and the error, and tried again", async (_, fail) => {
    let calls = 0;
    run(() => (++calls < 3 ? fail() : "done"));
    queue.add("a");
    await idle();
    expect(failures).toEqual([{ item: "a", error: new Error("broken"), failures: 1, failuresInARow: 1 }]);
    await pass(5);
    await pass(10);
    expect([calls, queue.requeues("a")]).toEqual([3, 0]);
  });

  test("again and again for one item is reported once a period, with the number of failures", async () => {
    let calls = 0;
    run(() => {
      throw new Error(`failure ${++calls}`);
    });
    queue.add("a");
    await idle();
    // After waits of 5, 10, 20, ... 5120, 10000, 10000 ms it fails for the 17th time when a minute has passed.
    for (let wait = 5; wait <= 5120; wait *= 2) await pass(wait);
    await pass(100_000, 10_000);
    expect(calls).toBe(22);
    expect(failures).toEqual([
      { item: "a", error: new Error("failure 1"), failures: 1, failuresInARow: 1 },
      { item: "a", error: new Error("failure 17"), failures: 16, failuresInARow: 17 },
    ]);
  });

  test("is reported per item, and counted from 0 after a success", async () => {
    const results = ["fail", "fail", "done", "fail", "done"];
    run((item) => {
      if (item === "b" || results.shift() === "fail") throw new Error(item);
    });
    queue.add("a");
    queue.add("b");
    await idle();
    await pass(30, 5);
    queue.add("a");
    await pass(30, 5);
    expect(results).toEqual([]);
    expect(failures.map(({ item, failuresInARow }) => [item, failuresInARow])).toEqual([
      ["a", 1],
      ["b", 1],
      ["a", 1],
    ]);
  });

  test("ends no worker when the report throws, whose error goes to the process", async () => {
    const others = process.listeners("uncaughtException");
    const uncaught: unknown[] = [];
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", (error) => uncaught.push(error));
    try {
      const seen: string[] = [];
      const report = (): void => {
        throw new Error("no log");
      };
      run(
        (item) => {
          seen.push(item);
          throw new Error("broken");
        },
        { report },
      );
      queue.add("a");
      queue.add("b");
      await idle();
      expect([seen, uncaught]).toEqual([
        ["a", "b"],
        [new Error("no log"), new Error("no log")],
      ]);
    } finally {
      process.removeAllListeners("uncaughtException");
      for (const other of others) process.on("uncaughtException", other);
    }
  });
});

describe("the end of the workers", () => {
  test("after an abort lets running work finish and begins nothing more", async () => {
    const gate = deferred<void>();
    const seen: string[] = [];
    run(
      async (item) => {
        seen.push(item);
        await gate.promise;
        return "again" as const;
      },
      { workers: 2 },
    );
    for (const item of ["a", "b", "c"]) queue.add(item);
    queue.addAfter("d", 10);
    await idle();
    let over = false;
    const end = ended.then(() => (over = true));
    stopping.abort();
    queue.add("e");
    await pass(100);
    expect([over, seen, queue.shuttingDown]).toEqual([false, ["a", "b"], true]);
    gate.resolve();
    await end;
    expect([seen, queue.length]).toEqual([["a", "b"], 1]);
    expect(queue.stats()).toMatchObject({ processing: 0, delayed: 0 });
  });

  test("does not begin an item that the queue gave out at the moment of the abort", async () => {
    const seen: string[] = [];
    run((item) => void seen.push(item));
    await idle();
    queue.add("a");
    stopping.abort();
    await ended;
    expect([seen, queue.stats().processing]).toEqual([[], 0]);
  });

  test("comes at once with a signal that aborted before", async () => {
    stopping.abort();
    queue.add("a");
    run(() => expect.unreachable());
    await ended;
    expect(queue.shuttingDown).toBe(true);
  });

  test("passes the signal to running work, and reports its errors other than the abort as failures", async () => {
    run(
      (item, signal) =>
        new Promise((_, reject) => {
          const error = item === "fails" ? new Error("half-done") : undefined;
          signal.addEventListener("abort", () => reject(error ?? (signal.reason as Error)), { once: true });
        }),
      { workers: 2 },
    );
    queue.add("stops");
    queue.add("fails");
    await idle();
    stopping.abort();
    await ended;
    expect(failures.map(({ item }) => item)).toEqual(["fails"]);
  });

  test("WQ-7: comes without an abort when a shut-down queue is empty", async () => {
    const seen: string[] = [];
    run((item) => void seen.push(item));
    for (const item of ["a", "b", "c"]) queue.add(item);
    await queue.shutDownWithDrain();
    await ended;
    expect(seen).toEqual(["a", "b", "c"]);
    expect(getEventListeners(stopping.signal, "abort")).toEqual([]);
  });

  test("comes with the error of a rate limiter that throws, after the work that runs", async () => {
    const broken = { when: () => Number.NaN, forget: () => {}, requeues: () => 0 };
    queue = new RateLimitingQueue<string>({ timers: time, stopwatch: () => time.now(), rateLimiter: broken });
    const gate = deferred<void>();
    let finished = false;
    run(
      async (item) => {
        if (item === "a") return "again" as const;
        await gate.promise;
        finished = true;
      },
      { workers: 2 },
    );
    queue.add("b");
    queue.add("a");
    const result = ended.then(
      () => "resolved",
      (error: Error) => [error.message, finished],
    );
    ended = Promise.resolve();
    await idle();
    expect(queue.shuttingDown).toBe(true);
    gate.resolve();
    expect(await result).toEqual(["the delay of a work item is NaN; give a number of milliseconds", true]);
  });

  test.each([0, -1, 1.5, Number.NaN])("is an error with the valid numbers for %d workers", async (workers) => {
    run(() => {}, { workers });
    const wrong = ended;
    ended = Promise.resolve();
    await expect(wrong).rejects.toThrow(
      new RangeError(`the number of workers is ${workers}; give a whole number above 0`),
    );
    expect(queue.shuttingDown).toBe(false);
  });
});

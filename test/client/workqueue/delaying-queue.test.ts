import { beforeEach, expect, test } from "vitest";
import type { Timers } from "../../../src/base/time/timers.js";
import { DelayingQueue } from "../../../src/client/workqueue/index.js";
import { ManualTime } from "../../helpers/manual-time.js";

let time: ManualTime;
/** How many timers run. */
let running: number;
/** The milliseconds of all timers that were started. */
let started: number[];
let queue: DelayingQueue<string>;

beforeEach(() => {
  time = new ManualTime();
  running = 0;
  started = [];
  const timers: Timers = {
    start(milliseconds, callback) {
      running++;
      started.push(milliseconds);
      let over = false;
      const end = (): void => {
        if (!over) running--;
        over = true;
      };
      const cancel = time.start(milliseconds, () => {
        end();
        callback();
      });
      return () => {
        end();
        cancel();
      };
    },
  };
  queue = new DelayingQueue<string>({ timers, stopwatch: () => time.now() });
});

async function takeAll(): Promise<string[]> {
  const items: string[] = [];
  while (queue.length > 0) {
    const item = (await queue.get()) ?? "";
    items.push(item);
    queue.done(item);
  }
  return items;
}

test("WQ-8: an item is added when its delay has passed, not before", async () => {
  queue.addAfter("a", 50);
  time.pass(49);
  expect([queue.length, queue.stats().delayed]).toEqual([0, 1]);
  time.pass(1);
  expect([queue.length, queue.stats().delayed]).toEqual([1, 0]);
});

test.each([0, -1])("WQ-8: a delay of %d ms adds the item at once", (milliseconds) => {
  queue.addAfter("a", milliseconds);
  expect([queue.length, running]).toEqual([1, 0]);
});

test("WQ-8: of two delays of an item the one that ends first counts, and the item is added once", async () => {
  queue.addAfter("a", 100);
  queue.addAfter("a", 20);
  queue.addAfter("a", 60);
  time.pass(20);
  expect(await takeAll()).toEqual(["a"]);
  time.pass(1000);
  expect(queue.length).toBe(0);
});

test("WQ-8: items are added in the order of their times, and of their adds where the times are equal", async () => {
  const delays: Record<string, number> = { a: 30, b: 10, c: 20, d: 10, e: 5, f: 20, g: 10 };
  for (const [item, milliseconds] of Object.entries(delays)) queue.addAfter(item, milliseconds);
  queue.addAfter("a", 1);
  time.pass(100);
  expect(await takeAll()).toEqual(["a", "e", "b", "d", "g", "c", "f"]);
});

test("a delaying queue has one timer however many items wait, and none when no item waits", () => {
  for (let at = 1; at <= 100; at++) queue.addAfter(`item-${at}`, 1 + ((at * 37) % 100));
  // The times fall and rise; a timer is started anew only for an item that is earlier than all others.
  expect([running, started]).toEqual([1, [38, 12, 8, 4, 3, 2, 1]]);
  time.pass(50);
  expect([queue.length, running]).toEqual([50, 1]);
  time.pass(50);
  expect([queue.length, running]).toEqual([100, 0]);
});

test("WQ-8: a shutdown drops the items that still wait, with their timer, and ignores later ones", async () => {
  queue.addAfter("a", 10);
  queue.shutDown();
  queue.addAfter("b", 10);
  queue.addAfter("c", 0);
  expect([running, queue.stats().delayed]).toEqual([0, 0]);
  time.pass(100);
  expect(await queue.get()).toBeUndefined();
});

test("shutting a delaying queue down with drain does not wait for delayed items", async () => {
  queue.addAfter("a", 10);
  await queue.shutDownWithDrain();
  expect(running).toBe(0);
});

test("an item whose delay ends while it is processed is queued again afterwards", async () => {
  queue.add("a");
  await queue.get();
  queue.addAfter("a", 10);
  time.pass(10);
  expect(queue.length).toBe(0);
  queue.done("a");
  expect(queue.length).toBe(1);
});

test("a delay may be longer than Node's timers allow", async () => {
  const days = 86_400_000;
  queue.addAfter("a", 60 * days);
  time.pass(60 * days - 1);
  expect([queue.length, running]).toEqual([0, 1]);
  time.pass(1);
  expect(await takeAll()).toEqual(["a"]);
  expect(Math.max(...started)).toBeLessThan(2 ** 31);
});

test("an item is added also when its timer fires before the stopwatch shows the time", async () => {
  let elapsed = 0;
  const early = new DelayingQueue<string>({ timers: time, stopwatch: () => elapsed });
  early.addAfter("a", 10);
  early.addAfter("b", 30);
  elapsed = 9.4;
  time.pass(10);
  expect(early.length).toBe(1);
  time.pass(19);
  expect(early.length).toBe(1);
  time.pass(1);
  expect(early.length).toBe(2);
});

test("WQ-16: delayed adds are counted as retries, adds without a delay too", () => {
  queue.addAfter("a", 10);
  queue.addAfter("a", 20);
  queue.addAfter("b", 0);
  expect(queue.stats()).toMatchObject({ retries: 3, delayed: 1, depth: 1, adds: 1 });
});

test.each([Number.NaN, "5" as unknown as number, undefined as unknown as number])(
  "a delay of %s throws an error that names it, and the queue continues",
  (milliseconds) => {
    const message = `the delay of a work item is ${String(milliseconds)}; give a number of milliseconds`;
    expect(() => queue.addAfter("a", milliseconds)).toThrow(new RangeError(message));
    queue.addAfter("b", 1);
    time.pass(1);
    expect(queue.length).toBe(1);
  },
);

test("with the process's own timers an item is added after its delay", async () => {
  const real = new DelayingQueue<string>();
  real.addAfter("later", 20);
  real.addAfter("sooner", 1);
  expect([await real.get(), await real.get()]).toEqual(["sooner", "later"]);
});

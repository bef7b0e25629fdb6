import { afterEach, expect, test } from "vitest";
import { type Outcome, WorkQueue } from "../../src/controllers/work-queue.js";
import { eventually } from "../helpers/eventually.js";

let stopping = new AbortController();
afterEach(() => {
  stopping.abort();
  stopping = new AbortController();
});

function queueOf(work: (item: string) => Promise<Outcome>, workers = 1) {
  const reported: unknown[] = [];
  const report = (error: unknown) => void reported.push(error);
  return { queue: new WorkQueue<string>({ work, workers, signal: stopping.signal, report }), reported };
}

test("an item waits for the start, and is worked on once however often it is added", async () => {
  const seen: string[] = [];
  const { queue } = queueOf(async (item) => {
    seen.push(item);
    return "done";
  });
  for (const item of ["a", "b", "a"]) queue.add(item);
  expect(seen).toEqual([]);
  queue.start();
  await queue.settled();
  expect(seen).toEqual(["a", "b"]);
});

test("what is added while it is worked on is worked on once more, and never twice at a time", async () => {
  let [runs, at] = [0, 0];
  const { queue } = queueOf(async (item) => {
    runs++;
    expect(++at).toBe(1);
    if (runs === 1) for (let times = 0; times < 3; times++) queue.add(item);
    await new Promise((resolve) => setTimeout(resolve, 1));
    at--;
    return "done";
  }, 5);
  queue.start();
  queue.add("a");
  await queue.settled();
  expect(runs).toBe(2);
});

test("what throws is reported and tried again; what is done later comes back once", async () => {
  const outcomes: (Outcome | Error)[] = [new Error("first"), "again", { afterMilliseconds: 1 }, "done"];
  const { queue, reported } = queueOf(async () => {
    const next = outcomes.shift() ?? "done";
    if (next instanceof Error) throw next;
    return next;
  });
  queue.start();
  queue.add("a");
  await eventually(async () => expect(outcomes).toEqual([]));
  expect(reported).toEqual([new Error("first")]);
});

test("nothing is begun after the end", async () => {
  const seen: string[] = [];
  const { queue } = queueOf(async (item) => {
    seen.push(item);
    stopping.abort();
    return "again";
  });
  queue.start();
  queue.add("a");
  queue.add("b");
  await queue.settled();
  queue.add("c");
  expect(seen).toEqual(["a"]);
});

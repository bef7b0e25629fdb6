import fc from "fast-check";
import { expect, test } from "vitest";
import { DelayingQueue } from "../../../src/client/workqueue/index.js";
import { ManualTime } from "../../helpers/manual-time.js";

/** What a play does to a queue. `done` ends the processing that began `which` places ago, counted round. */
type Step =
  | { readonly act: "add"; readonly item: string }
  | { readonly act: "addAfter"; readonly item: string; readonly milliseconds: number }
  | { readonly act: "get" }
  | { readonly act: "done"; readonly which: number }
  | { readonly act: "pass"; readonly milliseconds: number };

const item = fc.constantFrom("a", "b", "c", "d", "e");
const milliseconds = fc.integer({ min: -1, max: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ act: fc.constant("add" as const), item }),
  fc.record({ act: fc.constant("addAfter" as const), item, milliseconds }),
  fc.record({ act: fc.constant("get" as const) }),
  fc.record({ act: fc.constant("done" as const), which: fc.nat(4) }),
  fc.record({ act: fc.constant("pass" as const), milliseconds: fc.integer({ min: 0, max: 15 }) }),
);

/** The rules, as plainly as they can be written: lists that are searched. */
class Model {
  now = 0;
  waiting: string[] = [];
  processing: string[] = [];
  addedMeanwhile: string[] = [];
  delayed: { readonly item: string; readonly at: number; readonly order: number }[] = [];
  getters = 0;
  /** What all getters got so far, in order. */
  readonly given: string[] = [];
  #order = 0;

  add(item: string): void {
    if (this.processing.includes(item)) {
      if (!this.addedMeanwhile.includes(item)) this.addedMeanwhile.push(item);
    } else if (!this.waiting.includes(item)) this.waiting.push(item);
    this.#give();
  }

  addAfter(item: string, milliseconds: number): void {
    if (milliseconds <= 0) {
      this.add(item);
      return;
    }
    const at = this.now + milliseconds;
    const known = this.delayed.find((one) => one.item === item);
    if (known !== undefined && known.at <= at) return;
    this.delayed = this.delayed.filter((one) => one !== known);
    this.delayed.push({ item, at, order: known?.order ?? this.#order++ });
  }

  get(): void {
    this.getters++;
    this.#give();
  }

  done(item: string): void {
    this.processing = this.processing.filter((one) => one !== item);
    if (!this.addedMeanwhile.includes(item)) return;
    this.addedMeanwhile = this.addedMeanwhile.filter((one) => one !== item);
    this.add(item);
  }

  pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    const ready = this.delayed.filter(({ at }) => at <= end).sort((x, y) => x.at - y.at || x.order - y.order);
    this.delayed = this.delayed.filter(({ at }) => at > end);
    for (const { item } of ready) this.add(item);
    this.now = end;
  }

  #give(): void {
    while (this.getters > 0 && this.waiting.length > 0) {
      const [item = "", ...rest] = this.waiting;
      this.getters--;
      this.waiting = rest;
      this.processing.push(item);
      this.given.push(item);
    }
  }
}

test("WQ-1, WQ-6, WQ-8: random use of a work queue returns the items of a plain model, loses none and processes none twice at a time", async () => {
  const count = fc.array(step, { maxLength: 120 });
  await fc.assert(fc.asyncProperty(count, play), { numRuns: 300 });
});

async function play(steps: readonly Step[]): Promise<void> {
  const time = new ManualTime();
  const queue = new DelayingQueue<string>({ timers: time, stopwatch: () => time.now() });
  const model = new Model();
  const given: string[] = [];
  const processing: string[] = [];
  /** Items with an add that no later start of processing has answered. */
  const owed = new Set<string>();

  const take = async (): Promise<void> => {
    const item = await queue.get();
    if (item === undefined) return;
    expect(processing).not.toContain(item);
    processing.push(item);
    given.push(item);
  };
  const settle = async (): Promise<void> => {
    for (let microtasks = 0; microtasks < 5; microtasks++) await Promise.resolve();
    for (const item of given.slice(compared)) {
      expect(owed.delete(item), `${item} was given out without an add`).toBe(true);
    }
    compared = given.length;
    expect(given).toEqual(model.given);
    expect(queue.length).toBe(model.waiting.length);
    const { depth, delayed } = queue.stats();
    expect([depth, delayed]).toEqual([model.waiting.length + model.addedMeanwhile.length, model.delayed.length]);
  };
  let compared = 0;
  const end = async (item: string): Promise<void> => {
    processing.splice(processing.indexOf(item), 1);
    queue.done(item);
    model.done(item);
    await settle();
  };
  const pass = async (milliseconds: number): Promise<void> => {
    for (const { item, at } of model.delayed) if (at <= model.now + milliseconds) owed.add(item);
    time.pass(milliseconds);
    model.pass(milliseconds);
    await settle();
  };

  const getters: Promise<void>[] = [];
  for (const step of steps) {
    switch (step.act) {
      case "add":
        owed.add(step.item);
        queue.add(step.item);
        model.add(step.item);
        await settle();
        break;
      case "addAfter":
        if (step.milliseconds <= 0) owed.add(step.item);
        queue.addAfter(step.item, step.milliseconds);
        model.addAfter(step.item, step.milliseconds);
        await settle();
        break;
      case "get":
        getters.push(take());
        model.get();
        await settle();
        break;
      case "done": {
        const which = processing[step.which % Math.max(1, processing.length)];
        if (which !== undefined) await end(which);
        break;
      }
      case "pass":
        await pass(step.milliseconds);
        break;
    }
  }

  // All delays end, and workers take what is left: every add is answered.
  await pass(100);
  while (processing.length > 0 || model.waiting.length > 0) {
    if (model.waiting.length > 0) {
      getters.push(take());
      model.get();
      await settle();
    }
    for (let item = processing[0]; item !== undefined; item = processing[0]) await end(item);
  }
  expect([...owed]).toEqual([]);
  expect(queue.stats()).toMatchObject({ depth: 0, delayed: 0, processing: 0 });
  queue.shutDown();
  await Promise.all(getters);
}

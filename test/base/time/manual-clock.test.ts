import { expect, test } from "vitest";
import { deferred } from "../../../src/base/async/deferred.js";
import { manualClock } from "../../../src/base/time/manual-clock.js";
import { pause } from "../../../src/base/time/pause.js";
import { turn } from "../../../src/base/async/turns.js";

const START = Date.parse("2026-01-01T00:00:00Z");

/** Fires what is due within so many milliseconds. */
function pass(clock: ReturnType<typeof manualClock>, milliseconds: number): void {
  const end = clock.now() + milliseconds;
  while (clock.fireNext(end));
  clock.moveTo(end);
}

test("a manual clock fires timers in the order of their due times, and those of one moment in the order of their start", () => {
  const clock = manualClock();
  const log: string[] = [];
  const at = (name: string) => () => log.push(`${name} at ${clock.now() - START}`);
  clock.start(30, at("c"));
  clock.start(10, at("a"));
  clock.start(20, () => {
    at("b")();
    clock.start(10, at("d"));
    clock.start(0, at("at once"));
  });
  pass(clock, 100);
  expect(log).toEqual(["a at 10", "b at 20", "at once at 20", "c at 30", "d at 30"]);
  expect(clock.now()).toBe(START + 100);
});

test("a manual clock does not fire a cancelled timer, wherever it stands among the others", () => {
  for (let cancelled = 0; cancelled < 20; cancelled++) {
    const clock = manualClock();
    const fired: number[] = [];
    const cancels = Array.from({ length: 20 }, (_, index) => clock.start((index * 7) % 20, () => fired.push(index)));
    cancels[cancelled]?.();
    cancels[cancelled]?.();
    pass(clock, 100);
    const order = Array.from({ length: 20 }, (_, index) => index).sort((a, b) => ((a * 7) % 20) - ((b * 7) % 20));
    expect(fired).toEqual(order.filter((index) => index !== cancelled));
  }
});

test("clock, timers and stopwatch of a manual clock agree, in whole milliseconds", () => {
  const clock = manualClock(new Date(START));
  const elapsed = clock.stopwatch();
  let fired = 0;
  clock.start(1.2, () => (fired = clock.now()));
  pass(clock, 5);
  expect([fired - START, elapsed()]).toEqual([2, 5]);
});

test("a manual clock advances while registered work waits for its own timer, and stands still during other work", async () => {
  const clock = manualClock();
  const answer = deferred<void>();
  const work = clock.during(
    () => "work",
    async () => {
      await answer.promise;
      await pause(clock, 10);
    },
  );
  clock.start(5, () => {});
  expect(clock.untimed()).toEqual(["work"]);
  answer.resolve();
  await turn();
  expect(clock.untimed()).toEqual([]);
  pass(clock, 10);
  expect(clock.untimed()).toEqual(["work"]);
  await work;
  expect(clock.untimed()).toEqual([]);
});

test("a manual clock does not count a timer as waited for once the work has cancelled it", async () => {
  const clock = manualClock();
  const answer = deferred<void>();
  const work = clock.during(
    () => "work",
    () => {
      const cancel = clock.start(10, () => {});
      cancel();
      cancel();
      return answer.promise;
    },
  );
  expect(clock.untimed()).toEqual(["work"]);
  answer.reject(new Error("failed"));
  await expect(work).rejects.toThrow("failed");
  expect(clock.untimed()).toEqual([]);
});

test("a manual clock does not wait for work that describes itself as undefined", () => {
  const clock = manualClock();
  void clock.during(
    () => undefined,
    () => new Promise(() => {}),
  );
  expect(clock.untimed()).toEqual([]);
});

test("an observer of a manual clock sees the work that is under way and the work that begins", async () => {
  const clock = manualClock();
  const seen: string[] = [];
  const begin = (name: string | undefined, promise = new Promise<void>(() => {})): Promise<void> =>
    clock.during(
      () => name,
      () => promise,
    );
  void begin("old");
  await begin("ended", Promise.resolve());
  const stop = clock.observe((description) => seen.push(description));
  void begin("new");
  void begin(undefined);
  stop();
  void begin("later");
  expect(seen).toEqual(["old", "new"]);
});

test.each([["2026-01-01T00:00:00Z"], [START], [new Date(START)], [undefined]])(
  "a manual clock can start at %s",
  (start) => {
    expect(manualClock(start).now()).toBe(START);
  },
);

test("a manual clock refuses a start that is not a time", () => {
  expect(() => manualClock("soon")).toThrow(new RangeError('the start of a manual clock is "soon"; give a time'));
});

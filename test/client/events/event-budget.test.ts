import { expect, test } from "vitest";
import { EventBudget } from "../../../src/client/events/event-budget.js";
import { FixedClock } from "../../helpers/fixed-clock.js";

/** How many events are recorded of so many. */
function recorded(budget: EventBudget, offered: number): number {
  let count = 0;
  const recorder = budget.limit({ event: () => void (count += 1) });
  for (let index = 0; index < offered; index += 1) recorder.event({}, "Normal", "Started", "Container started");
  return count;
}

test.each([
  ["a thousand at once", 0, 1000],
  ["a hundred more after a second", 1000, 100],
  ["one more after ten milliseconds", 10, 1],
  ["no more than a thousand after a long rest", 3_600_000, 1000],
])("a component may record %s", (_title, rest, count) => {
  const clock = new FixedClock(0);
  const budget = new EventBudget(clock);
  if (rest > 0) recorded(budget, 5000);
  clock.advance(rest);
  expect(recorded(budget, 5000)).toBe(count);
});

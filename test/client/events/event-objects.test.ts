import { expect, test } from "vitest";
import { EventNames } from "../../../src/client/events/event-objects.js";
import { seededRandom } from "../../helpers/seeded-random.js";

const NOON = Date.UTC(2026, 0, 1, 12);

test("the names of events of one source are in rising order, also within one moment", () => {
  const names = new EventNames(seededRandom("kubelet"));
  const made = [names.next("web", NOON), names.next("web", NOON), names.next("web", NOON + 1)];
  expect(made).toEqual(made.toSorted());
  expect(new Set(made).size).toBe(3);
});

test("two sources that record the first event about an object at one moment name it differently", () => {
  const [kubelet, scheduler] = [new EventNames(seededRandom("kubelet")), new EventNames(seededRandom("scheduler"))];
  expect(kubelet.next("web", NOON)).not.toBe(scheduler.next("web", NOON));
});

import { expect, test } from "vitest";
import { EventNames } from "../../../src/client/events/event-objects.js";
import { seededRandom } from "../../helpers/seeded-random.js";

const NOON = Date.UTC(2026, 0, 1, 12);

test("the names of one source rise, within a moment and from one to the next", () => {
  const names = new EventNames(seededRandom("kubelet"));
  const made = [names.next("web", NOON), names.next("web", NOON), names.next("web", NOON + 1)];
  expect(made).toEqual(made.toSorted());
  expect(new Set(made).size).toBe(3);
});

test("two sources name the first event of an object at one moment differently", () => {
  const [kubelet, scheduler] = [new EventNames(seededRandom("kubelet")), new EventNames(seededRandom("scheduler"))];
  expect(kubelet.next("web", NOON)).not.toBe(scheduler.next("web", NOON));
});

import { expect, test } from "vitest";
import { localTime, restart } from "../../../src/polymorphic-helpers/rollout/change.js";

// Go's time.Now().Format(time.RFC3339) in these zones.
test.each([
  [0, "2024-06-30T22:05:09Z"],
  [330, "2024-07-01T03:35:09+05:30"],
  [-150, "2024-06-30T19:35:09-02:30"],
  [-600, "2024-06-30T12:05:09-10:00"],
])("rollout restart writes the time in UTC for a machine %i minutes east of Greenwich", (offset, text) => {
  expect(localTime(new Date("2024-06-30T22:05:09.987Z"), offset)).toBe(text);
});

test("rollout restart changes nothing when repeated within a second", () => {
  const kind = { group: "apps", kind: "StatefulSet" };
  const now = new Date("2024-06-30T22:05:09.100Z");
  const once = restart(kind, { spec: { template: {} } }, now);
  expect(restart(kind, once, new Date("2024-06-30T22:05:09.900Z"))).toEqual(once);
  expect(restart(kind, once, new Date("2024-06-30T22:05:10.000Z"))).not.toEqual(once);
});

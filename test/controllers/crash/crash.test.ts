import { expect, test } from "vitest";
import { killAtRandom } from "./kills.js";

test("a rollout, a StatefulSet's update and a Job reach the same end when their controllers are killed 20 times", async () => {
  expect(await killAtRandom("twenty", 20)).toEqual([]);
});

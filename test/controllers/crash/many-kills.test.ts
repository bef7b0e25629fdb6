import { expect, test } from "vitest";
import { killAtRandom } from "./kills.js";

test("a rollout, a StatefulSet's update and a Job reach the same end when their controllers are killed 200 times", {
  timeout: 600_000,
}, async () => {
  const seed = process.env["KUBETS_KILLS_SEED"] ?? "two hundred";
  expect(await killAtRandom(seed, 200)).toEqual([]);
});

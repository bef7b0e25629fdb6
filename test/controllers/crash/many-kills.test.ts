import { expect, test } from "vitest";
import { killAtRandom } from "./kills.js";

test("a rollout, a StatefulSet's update and a job end the same when their controllers die 200 times", {
  timeout: 600_000,
}, async () => {
  const seed = process.env["KUBETS_KILLS_SEED"] ?? "two hundred";
  expect(await killAtRandom(seed, 200)).toEqual([]);
});

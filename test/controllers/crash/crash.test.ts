import { expect, test } from "vitest";
import { killAtRandom } from "./kills.js";

test("a rollout, a StatefulSet's update and a job end the same when their controllers die 20 times", async () => {
  expect(await killAtRandom("twenty", 20)).toEqual([]);
});

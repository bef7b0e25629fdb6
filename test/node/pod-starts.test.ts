import { expect, test } from "vitest";
import { deferred } from "../../src/base/deferred.js";
import { PodStarts } from "../../src/node/agent/pod-starts.js";

test("two pods start at a time, the others in their order; one that fails makes room too", async () => {
  const starts = new PodStarts();
  const began: string[] = [];
  const pods = ["a", "b", "c", "d"].map((name) => ({ name, begun: deferred<void>() }));
  const results = pods.map(({ name, begun }) =>
    starts.run(async () => {
      began.push(name);
      await begun.promise;
    }),
  );
  expect(began).toEqual(["a", "b"]);
  pods[1]?.begun.reject(new Error("no such image"));
  await expect(results[1]).rejects.toThrow("no such image");
  expect(began).toEqual(["a", "b", "c"]);
  for (const { begun } of pods) begun.resolve();
  await Promise.allSettled(results);
  expect(began).toEqual(["a", "b", "c", "d"]);
});

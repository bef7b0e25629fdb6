import { expect, test } from "vitest";
import { holdProcess } from "../../src/base/hold-process.js";

const timers = (): number => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;

test("a pending promise holds the process, a settled one lets it go", async () => {
  const before = timers();
  let resolve: (value: number) => void = () => {};
  const held = holdProcess(new Promise<number>((done) => (resolve = done)));
  expect(timers()).toBe(before + 1);
  resolve(1);
  expect([await held, timers()]).toEqual([1, before]);
  await expect(holdProcess(Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(timers()).toBe(before);
});

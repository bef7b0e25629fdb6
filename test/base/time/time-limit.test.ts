import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { withTimeLimit } from "../../../src/base/time/time-limit.js";
import { ManualTime } from "../../helpers/manual-time.js";

const never = () => new Promise<never>(() => {});

test("a time limit passes on the value of work that ends in time, and leaves no timer and no listener", async () => {
  const [timers, outer] = [new ManualTime(), new AbortController()];
  const limit = { timers, milliseconds: 10, signal: outer.signal };
  let signal: AbortSignal | undefined;
  expect(
    await withTimeLimit(limit, async (within) => {
      signal = within;
      return 1;
    }),
  ).toBe(1);
  timers.pass(100);
  expect([signal?.aborted, getEventListeners(outer.signal, "abort")]).toEqual([false, []]);
});

test("a time limit rejects when the time is over, even when the work ignores its signal", async () => {
  const timers = new ManualTime();
  const limited = withTimeLimit({ timers, milliseconds: 10 }, never);
  timers.pass(10);
  await expect(limited).rejects.toThrow("no answer within 10 ms");
});

test("a time limit rejects with the reason of the caller's signal, at once if it aborted before", async () => {
  const [timers, outer] = [new ManualTime(), new AbortController()];
  const limit = { timers, milliseconds: 10, signal: outer.signal };
  const limited = withTimeLimit(limit, never);
  outer.abort(new Error("enough"));
  await expect(limited).rejects.toThrow("enough");
  await expect(withTimeLimit(limit, async () => 1)).rejects.toThrow("enough");
});

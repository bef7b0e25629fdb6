import { describe, expect, test } from "vitest";
import { atOnce, type Steps, waitFor } from "../../../src/base/async/steps.js";
import { inSlices } from "../../../src/base/async/time-slice.js";

function* sum(first: number | Promise<number>, second: number | Promise<number>): Steps<number> {
  const left = yield* waitFor(first);
  yield;
  return left + (yield* waitFor(second));
}

describe("work written as a generator of steps that waits for promises", () => {
  test("continues with the value that the promise resolves to", async () => {
    expect(await inSlices(sum(Promise.resolve(1), Promise.resolve(2)))).toBe(3);
  });

  test("does not pause for a value that is not a promise", () => {
    const steps = waitFor(1);
    expect(steps.next()).toEqual({ done: true, value: 1 });
    expect(atOnce(sum(1, 2))).toBe(3);
  });

  test("throws the error that the promise rejects with", async () => {
    const refused = Promise.reject<number>(new Error("no answer"));
    // The steps before it may take several turns of the event loop.
    refused.catch(() => {});
    await expect(inSlices(sum(1, refused))).rejects.toThrow("no answer");
  });

  test("cannot be run synchronously", () => {
    expect(() => atOnce(sum(Promise.resolve(1), 2))).toThrow("has to wait for a promise");
  });
});

import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { RequestLifetime, whenAborted } from "../../../src/client/rest/request-lifetime.js";

test("a hundred callbacks share one listener of an abort signal, and each is called once", () => {
  const stop = new AbortController();
  const called: number[] = [];
  const undo = Array.from({ length: 100 }, (_, index) => whenAborted(stop.signal, () => called.push(index)));
  expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
  undo[7]?.();
  undo[7]?.();
  stop.abort();
  stop.abort();
  expect(called).toEqual(Array.from({ length: 100 }, (_, index) => index).filter((index) => index !== 7));
});

test("a callback on a signal that has aborted is called at once", () => {
  const called: string[] = [];
  whenAborted(AbortSignal.abort(), () => called.push("now"))();
  expect(called).toEqual(["now"]);
});

test("a callback that removes another one while it is called does not affect the others", () => {
  const stop = new AbortController();
  const called: string[] = [];
  whenAborted(stop.signal, () => undo());
  const undo = whenAborted(stop.signal, () => called.push("taken back"));
  whenAborted(stop.signal, () => called.push("last"));
  stop.abort();
  expect(called).toContain("last");
});

test("a hundred concurrent requests add one listener to each signal that may end them", async () => {
  const [caller, ending] = [new AbortController(), new AbortController()];
  const lives = Array.from(
    { length: 100 },
    () => new RequestLifetime({ method: "GET", signal: caller.signal }, { limit: 0, ending: ending.signal }),
  );
  for (const { signal } of [caller, ending]) expect(getEventListeners(signal, "abort")).toHaveLength(1);
  lives.slice(50).forEach((life) => life.end());
  ending.abort(new Error("the client ends"));
  expect(lives.map(({ signal }) => signal?.aborted)).toEqual(lives.map((_, index) => index < 50));
});

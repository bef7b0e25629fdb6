import { describe, expect, test } from "vitest";
import { turn } from "../../../src/base/async/turns.js";
import { systemTimers } from "../../../src/base/time/timers.js";
import { QueueSet } from "../../../src/server/flow-control/queue-set.js";
import type { SeatedRequest } from "../../../src/server/flow-control/queue.js";
import { SeatDemand } from "../../../src/server/flow-control/seat-demand.js";
import { TurnBudget } from "../../../src/server/flow-control/turn-budget.js";
import { seatsAlone } from "../../../src/server/flow-control/work.js";

/** A level of many seats whose clock the test moves, and a count of how often it was read. */
function makeLevel({ seats = 1000 } = {}) {
  let [now, reads] = [0, 0];
  const elapsed = (): number => {
    reads += 1;
    return now;
  };
  const budget = new TurnBudget(elapsed);
  const surroundings = { elapsed, now: () => now / 1e6, timers: systemTimers, observer: undefined, budget };
  const set = new QueueSet("level", new SeatDemand(0), surroundings);
  set.configure({ queues: 64, handSize: 1, queueLengthLimit: 1000 }, seats);
  const begun: string[] = [];
  const start = (flow: string, width = 1): SeatedRequest => {
    const request = set.start({
      flowSchema: "schema",
      distinguisher: flow,
      estimate: seatsAlone(width),
      request: undefined,
    });
    if (request === undefined) throw new Error("it was refused");
    if (request.state === "executing") begun.push(flow);
    request.onSeats = () => begun.push(flow);
    return request;
  };
  const pass = (nanoseconds: number): void => void (now += nanoseconds);
  return { set, budget, start, begun, pass, reads: () => reads };
}

describe("the requests that begin in a turn of the event loop", () => {
  test("are eight; the next turns begin those that wait, though seats were free all along", async () => {
    const { start, begun, set } = makeLevel();
    for (let count = 0; count < 40; count++) start("flood");
    expect([begun.length, set.counts.waiting]).toEqual([8, 32]);
    await turn();
    await turn();
    expect(begun.length).toBeGreaterThan(8);
    while (set.counts.waiting > 0) await turn();
    expect(begun.length).toBe(40);
  });

  test("are fewer where they take long", () => {
    const { start, begun, pass } = makeLevel();
    for (let count = 0; count < 5; count++) {
      start("flood");
      pass(0.6e6);
    }
    expect(begun.length).toBe(2);
  });

  test("begin with the flow that has had least: a flood that came before is behind", async () => {
    const { start, begun, set, pass } = makeLevel();
    const flood = Array.from({ length: 100 }, () => start("flood"));
    for (const request of flood) {
      pass(0.1e6);
      set.finish(request);
    }
    start("quiet");
    while (!begun.includes("quiet")) await turn();
    expect(begun.indexOf("quiet")).toBeLessThan(20);
  });

  test("take no turns while those that wait need seats", async () => {
    const { start, set, reads } = makeLevel({ seats: 2 });
    const wide = start("wide", 2);
    const next = start("next", 2);
    await turn();
    await turn();
    const before = reads();
    for (let count = 0; count < 10; count++) await turn();
    expect(reads()).toBe(before);
    set.finish(wide);
    while (next.state === "waiting") await turn();
    expect(next.state).toBe("executing");
  });
});

test("refusals that come faster than a turn answers them wait for the next turns", async () => {
  const { budget } = makeLevel();
  let answered = 0;
  const all = Array.from({ length: 50 }, () => budget.refusal().then(() => (answered += 1)));
  await Promise.resolve();
  await Promise.resolve();
  expect(answered).toBe(8);
  await Promise.all(all);
  expect(answered).toBe(50);
});

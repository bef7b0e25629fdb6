import { describe, expect, test } from "vitest";
import { bootstrapFlowControl } from "../../../src/api/bootstrap/flow-control.js";
import { type LevelSpec, readLevel } from "../../../src/server/flow-control/level-spec.js";
import { PriorityLevels } from "../../../src/server/flow-control/priority-levels.js";
import type { SeatedRequest } from "../../../src/server/flow-control/queue.js";
import { seatsAlone } from "../../../src/server/flow-control/work.js";
import { ManualTime } from "../../helpers/manual-time.js";

const bootstrap = bootstrapFlowControl()
  .filter(({ kind }) => kind === "PriorityLevelConfiguration")
  .map(readLevel);

/** Levels with driven time, and requests that hold seats in them. */
class Driven {
  readonly time = new ManualTime();
  readonly levels: PriorityLevels;

  constructor(seats: number, specs: readonly LevelSpec[] = bootstrap) {
    const stopwatch = this.time.stopwatch();
    const surroundings = {
      elapsed: () => Math.round(stopwatch() * 1e6),
      now: () => this.time.now(),
      timers: this.time,
      observer: undefined,
    };
    this.levels = new PriorityLevels(seats, surroundings, (error) => {
      throw error;
    });
    this.levels.settle(specs, []);
  }

  /** Begins requests of one seat, each of a flow of its own. */
  begin(level: string, count: number): readonly SeatedRequest[] {
    return Array.from({ length: count }, (_, flow) =>
      this.levels.get(level)?.queues.start({
        flowSchema: "schema",
        distinguisher: String(flow),
        estimate: seatsAlone(1),
        request: undefined,
      }),
    ).flatMap((request) => request ?? []);
  }

  /** Ends the requests as they get their seats. */
  finish(level: string, requests: readonly SeatedRequest[]): void {
    for (let left = requests; left.length > 0; left = left.filter(({ state }) => state !== "over"))
      for (const request of left) this.levels.get(level)?.queues.finish(request);
  }

  /** Lets a period of ten seconds pass. */
  period(): void {
    this.time.pass(10_000);
    this.levels.rebalance();
  }

  get current(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.levels.all.map(({ name, limits }) => [name, limits.current]));
  }
}

const level = (name: string, spec: Partial<LevelSpec>): LevelSpec => ({
  name,
  uid: name,
  isExempt: false,
  shares: 0,
  lendablePercent: 0,
  borrowingLimitPercent: undefined,
  queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 },
  ...spec,
});

describe("concurrency seats of priority levels", () => {
  test("are 600 for the bootstrap levels, divided by shares, with lendable parts", () => {
    const { levels } = new Driven(600);
    // ceil(600 * shares / 245), the lendable part rounded, and 600 more as nothing limits what they borrow.
    expect(
      levels.all.map(({ name, limits: { nominal, lowest, highest } }) => [name, nominal, lowest, highest]),
    ).toEqual([
      ["catch-all", 13, 13, 613],
      ["exempt", 0, 0, 600],
      ["global-default", 49, 24, 649],
      ["leader-election", 25, 25, 625],
      ["node-high", 98, 73, 698],
      ["system", 74, 50, 674],
      ["workload-high", 98, 49, 698],
      ["workload-low", 245, 24, 845],
    ]);
  });

  test("are given without demand in proportion to the lower bounds", () => {
    const { current } = new Driven(600);
    const { exempt, ...limited } = current;
    expect(exempt).toBe(0);
    // The nominal seats sum to 602; rounding may lose or win one for each level.
    const sum = Object.values(limited).reduce((total, seats) => total + seats, 0);
    expect(Math.abs(sum - 602)).toBeLessThanOrEqual(4);
    // 602 * 73 / 258, the lower bounds being 258 together.
    expect(current["node-high"]).toBe(170);
  });

  test("are borrowed by a busy level, and returned when its demand falls", () => {
    const driven = new Driven(600);
    const requests = driven.begin("workload-low", 845);
    driven.period();
    driven.period();
    const busy = driven.current["workload-low"] ?? 0;
    // All but the lower bounds of the others, 234 of 602 seats.
    expect(busy).toBe(368);
    expect(driven.current["global-default"]).toBe(24);
    driven.finish("workload-low", requests);
    for (let period = 0; period < 180; period++) driven.period();
    // Five minutes halve the smoothed demand: after thirty of them it is 64 times less.
    expect(driven.current["workload-low"]).toBeLessThan(100);
  });

  test("are borrowed only up to the borrower's limit and the lenders' lendable part", () => {
    const driven = new Driven(100, [
      level("busy", { shares: 50, borrowingLimitPercent: 20 }),
      level("idle", { shares: 25, lendablePercent: 100 }),
      level("proud", { shares: 25 }),
    ]);
    driven.begin("busy", 200);
    driven.period();
    driven.period();
    // 50 of its own and at most 20 % of them more. The others share what is left by their targets, which are 0 and the 25 that are not lent.
    expect(driven.current).toEqual({ busy: 60, idle: 0, proud: 40 });
  });

  test("return to a lending level in the next period when it needs them", () => {
    const driven = new Driven(100, [
      level("busy", { shares: 50 }),
      level("lender", { shares: 50, lendablePercent: 80 }),
    ]);
    driven.begin("busy", 200);
    driven.period();
    driven.period();
    expect(driven.current).toEqual({ busy: 90, lender: 10 });
    driven.begin("lender", 50);
    driven.period();
    expect(driven.current).toEqual({ busy: 50, lender: 50 });
  });

  test("are not needed by exempt requests, which reduce what others may borrow", () => {
    const driven = new Driven(100, [
      level("exempt", { isExempt: true, queuing: { queues: 0, handSize: 0, queueLengthLimit: 0 } }),
      level("a", { shares: 50, lendablePercent: 50 }),
      level("b", { shares: 50, lendablePercent: 50 }),
    ]);
    expect(driven.begin("exempt", 300).every(({ state }) => state === "executing")).toBe(true);
    driven.period();
    // Nothing is left of 100 seats: both get their lower bounds.
    expect(driven.current).toEqual({ exempt: 300, a: 25, b: 25 });
  });

  test("are taken by one request up to 15 % of the level's nominal seats and the seats of its hand", () => {
    const { levels } = new Driven(600);
    // max(1, min(ceil(0.15 * nominal), nominal / hand size)); a level without queues has no such limit.
    expect(levels.all.map(({ name, mostSeats }) => [name, mostSeats])).toEqual([
      ["catch-all", undefined],
      ["exempt", undefined],
      ["global-default", 8],
      ["leader-election", 4],
      ["node-high", 15],
      ["system", 12],
      ["workload-high", 15],
      ["workload-low", 37],
    ]);
  });
});

describe("changing the queues of a priority level", () => {
  test("removes surplus queues when they are empty, and requests in them still run", () => {
    const driven = new Driven(4, [
      level("only", { shares: 1, queuing: { queues: 8, handSize: 1, queueLengthLimit: 9 } }),
    ]);
    const requests = driven.begin("only", 12);
    const narrower = level("only", { shares: 1, queuing: { queues: 2, handSize: 1, queueLengthLimit: 9 } });
    driven.levels.settle([narrower], []);
    expect(driven.levels.get("only")?.queues.queues.length).toBe(8);
    driven.finish("only", requests);
    expect(requests.map(({ state }) => state)).toEqual(requests.map(() => "over"));
    expect(driven.levels.get("only")?.queues.isIdle).toBe(true);
    const more = driven.begin("only", 20);
    driven.finish("only", more);
    expect(more.every(({ state }) => state === "over")).toBe(true);
  });

  test("uses more queues and seats at once", () => {
    const few = level("only", { shares: 1, queuing: { queues: 1, handSize: 1, queueLengthLimit: 9 } });
    const driven = new Driven(1, [few]);
    const [first, second] = driven.begin("only", 2);
    expect([first?.state, second?.state]).toEqual(["executing", "waiting"]);
    driven.levels.settle([{ ...few, queuing: { queues: 16, handSize: 4, queueLengthLimit: 9 } }], []);
    driven.levels.get("only")?.queues.configure(few.queuing, 2);
    expect(second?.state).toBe("executing");
  });
});

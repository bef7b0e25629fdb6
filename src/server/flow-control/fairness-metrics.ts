import type { Family } from "../../machinery/metrics/family.js";
import type { MetricTable } from "../../machinery/metrics/metric-table.js";
import { familiesOf } from "../metrics/request-measures.js";
import { FAIRNESS } from "./fairness-definitions.js";
import type { FlowControlObserver, LevelLimits, LevelState, Phase, Rejection, VirtualTimes } from "./observer.js";
import { ReadsAndWrites } from "./reads-and-writes.js";
import { ShareOverTime } from "./share-over-time.js";

type Families = { readonly [Key in keyof typeof FAIRNESS]: Family };

/** Requests of a FlowSchema at a level, and the seats that they wait for or have. */
interface Flow {
  waiting: number;
  waitingSeats: number;
  executing: number;
  executingSeats: number;
}

const noFlow = (): Flow => ({ waiting: 0, waitingSeats: 0, executing: 0, executingSeats: 0 });

interface Level {
  readonly flows: Map<string, Flow>;
  /** Of all flows. */
  readonly all: Flow;
  state: LevelState | undefined;
  shares: LevelShares | undefined;
  /** Of its queues, in seat-seconds. */
  virtualTime: number;
  lastDispatch: VirtualTimes | undefined;
}

interface LevelShares {
  readonly seats: ShareOverTime;
  readonly executing: ShareOverTime;
  readonly waiting: ShareOverTime;
  readonly demand: ShareOverTime;
}

/**
 * The metrics of priority and fairness. What is under way is known at all times; everything else is counted from {@link show} on. Times are monotonic
 * nanoseconds.
 */
export class FairnessMetrics implements Required<FlowControlObserver> {
  readonly #levels = new Map<string, Level>();
  readonly #elapsed: () => number;
  /** The seats of the server. */
  readonly #seats: number;
  #families: Families | undefined;
  readonly #readsAndWrites = new ReadsAndWrites();
  #proportion = 0;

  constructor(seats: number, elapsed: () => number) {
    this.#seats = seats;
    this.#elapsed = elapsed;
  }

  /** Counts in the table from now on. */
  show(table: MetricTable): void {
    const families = familiesOf(table, FAIRNESS);
    this.#families = families;
    table.onRead(() => this.#read(families));
    table.onReset(() => {
      this.#readsAndWrites.reset();
      for (const level of this.#levels.values()) level.shares = undefined;
    });
  }

  estimated(level: string, flowSchema: string, seats: number): void {
    observe(this.#families?.estimated, seats, level, flowSchema);
  }

  watchers(level: string, flowSchema: string, count: number): void {
    observe(this.#families?.watchers, count, level, flowSchema);
  }

  enqueued(level: string, flowSchema: string, seats: number, length: number): void {
    observe(this.#families?.queueLength, length, level, flowSchema);
    this.#change(level, flowSchema, 1, seats, 0, 0);
  }

  dequeued(level: string, flowSchema: string, seats: number, waited: number, executes: boolean): void {
    observe(this.#families?.waited, waited / 1000, level, flowSchema, String(executes));
    this.#change(level, flowSchema, -1, -seats, 0, 0);
  }

  started(level: string, flowSchema: string, seats: number): void {
    add(this.#families?.dispatched, level, flowSchema);
    this.#change(level, flowSchema, 0, 0, 1, seats);
  }

  ended(level: string, flowSchema: string, executed: number, isWatch: boolean): void {
    observe(this.#families?.executed, executed / 1000, level, flowSchema, isWatch ? "watch" : "regular");
    this.#change(level, flowSchema, 0, 0, -1, 0);
  }

  freed(level: string, flowSchema: string, seats: number): void {
    this.#change(level, flowSchema, 0, 0, 0, -seats);
  }

  rejected(level: string, flowSchema: string, reason: Rejection): void {
    add(this.#families?.rejected, level, flowSchema, reason);
  }

  notAccommodated(level: string, flowSchema: string): void {
    add(this.#families?.notAccommodated, level, flowSchema);
  }

  leaves(name: string, times: () => VirtualTimes): void {
    if (this.#families !== undefined) this.#level(name).lastDispatch = times();
  }

  advanced(name: string, now: number): void {
    this.#level(name).virtualTime = now;
  }

  epochEnded(level: string): void {
    add(this.#families?.epochs, level, "true");
  }

  limits(name: string, state: LevelState): void {
    const level = this.#level(name);
    level.state = state;
    this.#note(level);
    const states = [...this.#levels.values()].flatMap((one) => one.state ?? []);
    this.#readsAndWrites.limit(states, this.#nowWhenShown());
  }

  phase(phase: Phase, isMutating: boolean, change: 1 | -1): void {
    this.#readsAndWrites.change(phase, isMutating, change, this.#nowWhenShown());
  }

  divided(proportion: number): void {
    this.#proportion = proportion;
  }

  levelRemoved(level: string): void {
    this.#levels.delete(level);
  }

  /** Undefined while nobody reads the metrics. */
  #nowWhenShown(): number | undefined {
    return this.#families === undefined ? undefined : this.#elapsed();
  }

  #level(name: string): Level {
    let level = this.#levels.get(name);
    if (level === undefined) {
      level = {
        flows: new Map(),
        all: noFlow(),
        state: undefined,
        shares: undefined,
        virtualTime: 0,
        lastDispatch: undefined,
      };
      this.#levels.set(name, level);
    }
    return level;
  }

  #change(name: string, schema: string, waiting: number, waits: number, executing: number, seats: number): void {
    const level = this.#level(name);
    let flow = level.flows.get(schema);
    if (flow === undefined) level.flows.set(schema, (flow = noFlow()));
    for (const one of [flow, level.all]) {
      one.waiting += waiting;
      one.waitingSeats += waits;
      one.executing += executing;
      one.executingSeats += seats;
    }
    this.#note(level);
  }

  /** Notes how much of its seats and of its queues a level uses now. */
  #note(level: Level): void {
    const { all, state } = level;
    if (this.#families === undefined || state === undefined) return;
    const now = this.#elapsed();
    level.shares ??= makeShares(now);
    const { shares } = level;
    const { queues, queueLengthLimit } = state.queuing;
    const seats = seatsOf(state.limits, this.#seats);
    shares.seats.set(all.executingSeats / seats, now);
    shares.executing.set(all.executing / seats, now);
    shares.waiting.set(all.waiting / (Math.max(1, queueLengthLimit) * Math.max(1, queues)), now);
    shares.demand.set((all.executingSeats + all.waitingSeats) / seats, now);
  }

  #read(families: Families): void {
    const now = this.#elapsed();
    this.#readsAndWrites.show(families.readsAndWrites, now);
    families.fairFraction.set(families.fairFraction.series(), this.#proportion);
    for (const [name, level] of this.#levels) {
      for (const [schema, flow] of level.flows) {
        for (const key of ["waiting", "waitingSeats", "executing", "executingSeats"] as const) {
          families[key].set(families[key].series(name, schema), flow[key]);
        }
      }
      this.#note(level);
      if (level.state !== undefined) showState(families, name, level.state);
      families.virtualTime.set(families.virtualTime.series(name), level.virtualTime);
      if (level.lastDispatch !== undefined) showDispatch(families, name, level.lastDispatch);
      if (level.shares !== undefined) showShares(families, name, level.shares, now);
    }
  }
}

function makeShares(now: number): LevelShares {
  const { seatUse, requestUse, demand } = FAIRNESS;
  return {
    seats: new ShareOverTime(seatUse.buckets, now),
    executing: new ShareOverTime(requestUse.buckets, now),
    waiting: new ShareOverTime(requestUse.buckets, now),
    demand: new ShareOverTime(demand.buckets, now),
  };
}

/** What shares of a level are shares of: its seats, or a tenth of the server's where it has none. */
const seatsOf = ({ current }: LevelLimits, ofServer: number): number =>
  current > 0 ? current : Math.max(1, Math.round(ofServer / 10));

function showState(families: Families, level: string, { limits, demand, target }: LevelState): void {
  const values = [
    ["nominal", limits.nominal],
    ["lowest", limits.lowest],
    ["highest", limits.highest],
    ["current", limits.current],
    ["highWatermark", demand.highest],
    ["average", demand.average],
    ["deviation", demand.deviation],
    ["smoothed", demand.smoothed],
    ["target", target],
  ] as const;
  for (const [key, value] of values) families[key].set(families[key].series(level), value);
}

function showDispatch(families: Families, level: string, times: VirtualTimes): void {
  const values = [
    ["lastDispatch", times.now],
    ["lastStart", times.dispatched],
    ["startBounds", times.earliest, "min"],
    ["startBounds", times.latest, "max"],
    ["discountedBounds", times.earliestDiscounted, "min"],
    ["discountedBounds", times.latestDiscounted, "max"],
  ] as const;
  for (const [key, value, ...bound] of values) families[key].set(families[key].series(level, ...bound), value);
}

function showShares({ seatUse, requestUse, demand }: Families, level: string, shares: LevelShares, now: number): void {
  shares.seats.show(seatUse, seatUse.series(level, "executing"), now);
  shares.executing.show(requestUse, requestUse.series("executing", level), now);
  shares.waiting.show(requestUse, requestUse.series("waiting", level), now);
  shares.demand.show(demand, demand.series(level), now);
}

function add(family: Family | undefined, ...labels: readonly string[]): void {
  family?.add(family.series(...labels));
}

function observe(family: Family | undefined, value: number, ...labels: readonly string[]): void {
  family?.observe(family.series(...labels), value);
}
